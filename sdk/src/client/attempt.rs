//! One attempt: the request, its settlement, and what the answer means.

use std::time::{Duration, SystemTime};

use bytes::Bytes;
use http::{HeaderName, HeaderValue, Method, header};
use tollgate_cost::Points;

use super::run::Run;
use crate::{
    AccessToken, ErrorKind,
    classify::{self, Cure, Fault, Ran, Reply},
    event::{WaitReason, What},
    gate::{self, Reservation},
    ledger::Charge,
    response::Cost,
    transport::TransportError,
};

static TOKEN: HeaderName = HeaderName::from_static("x-shopify-access-token");

impl Run<'_> {
    /// Sends once, settles, and reads what came.
    pub(super) async fn attempt(
        &mut self,
        mut reservation: Reservation,
        token: &AccessToken,
    ) -> (Option<Fault>, Option<Reply>) {
        let Some(request) = self.http_request(token) else {
            let message = "it is empty, or holds a line break or another letter that no header can"
                .to_owned();
            let fault = Fault {
                kind: ErrorKind::Unauthorized { message },
                ran: Ran::No,
                cure: Cure::None,
            };
            return (Some(fault), None);
        };
        let settings = &self.core.settings;
        let sent = gate::now();
        let limit = [sent.checked_add(settings.attempt_timeout), self.deadline];
        let limit = limit.into_iter().flatten().min();
        reservation.mark_sent();
        let sending = self.core.transport.send(request, settings.body_limit);
        let answer = match limit {
            Some(limit) => tokio::time::timeout_at(limit.into(), sending)
                .await
                .unwrap_or_else(|_| Err(TransportError::timeout())),
            None => sending.await,
        };
        let wire = gate::now().saturating_duration_since(sent);
        self.context.waits.wire += wire;
        match answer {
            Err(error) => {
                let fault = classify::transport_fault(error);
                if fault.ran == Ran::No {
                    reservation.mark_unsent();
                }
                drop(reservation);
                (Some(self.late(fault)), None)
            }
            Ok(answer) => {
                let (fault, reply) = self.read(answer, token, reservation, wire);
                (fault, Some(reply))
            }
        }
    }

    /// The deadline ended the attempt: say so rather than "no answer in time".
    fn late(&self, fault: Fault) -> Fault {
        let over = self
            .deadline
            .is_some_and(|deadline| gate::now() >= deadline);
        if !over {
            return fault;
        }
        let kind = ErrorKind::Deadline {
            reason: WaitReason::Answer,
            retry_at: None,
        };
        let cure = Cure::None;
        Fault {
            kind,
            cure,
            ..fault
        }
    }

    fn read(
        &mut self,
        mut answer: http::Response<Bytes>,
        token: &AccessToken,
        reservation: Reservation,
        wire: Duration,
    ) -> (Option<Fault>, Reply) {
        token.scrub_headers(answer.headers_mut());
        let mut reply = Reply::read(answer);
        let suspicious = !reply.status.is_success()
            || reply
                .body
                .as_ref()
                .map_or(true, |body| !body.errors.is_empty());
        if suspicious {
            // The server may have repeated the token in what it says about it.
            let mut clean = http::Response::new(token.scrub(reply.text.clone()));
            *clean.status_mut() = reply.status;
            *clean.headers_mut() = std::mem::take(&mut reply.headers);
            reply = Reply::read(clean);
        }
        let fault = classify::fault(&mut reply, self.request.kind, SystemTime::now());
        if let Some(fault) = &fault {
            // Before the points go to others.
            self.spread(fault);
        }
        let reserved = reservation.cost();
        let charge = reply.charge(reserved, fault.as_ref());
        let block = reply.body.as_ref().map(|body| body.cost.clone());
        let block = block.unwrap_or_default();
        let shared = reservation.is_shared();
        let lesson = reservation.settle(charge, &block.status);
        let level = self.core.gate.read(gate::now());

        self.context.status = Some(reply.status.as_u16());
        self.context.request_id = reply.request_id();
        self.context.cost = Cost {
            estimated: self.request.price,
            requested: block.requested.unwrap_or(reserved),
            actual: match charge {
                Charge::Actual(actual) => actual,
                Charge::Nothing => Points::ZERO,
                Charge::Unknown => reserved,
            },
            available: block.status.available.unwrap_or(level.available),
            maximum: level.maximum,
            restore_rate: level.restore_rate,
            fields: block.fields,
        };
        self.tell(What::Answered {
            status: reply.status.as_u16(),
            request_id: self.context.request_id.as_deref(),
            cost: &self.context.cost,
            wire,
        });
        for anomaly in block.anomalies.into_iter().chain(lesson.anomalies) {
            self.tell(What::Anomaly { anomaly });
        }
        if lesson.foreign >= 1.0 && !shared {
            self.tell(What::ForeignSpend {
                points: lesson.foreign,
                rate: level.foreign_rate,
            });
        }
        self.learn(block.requested, block.actual);
        self.notice_headers(&reply);
        if self.core.settings.log_bodies {
            let body = token.scrub(reply.text.clone());
            let body = String::from_utf8_lossy(&body);
            tracing::trace!(target: "tollgate::wire", status = reply.status.as_u16(), body = &*body, "received");
        }
        (fault, reply)
    }

    fn learn(&mut self, requested: Option<Points>, actual: Option<Points>) {
        let (ours, operation) = (self.request.price, &self.request.operation);
        let now = gate::now();
        let told = self
            .core
            .prices
            .learn(operation, ours, requested, actual, now);
        if let Some(requested) = requested {
            (self.price, self.price_said) = (requested, true);
            if told {
                self.tell(What::Drift { ours, requested });
            }
        }
    }

    fn notice_headers(&self, reply: &Reply) {
        let asked = &*self.core.version;
        if let Some(served) = reply.header("x-shopify-api-version")
            && served != asked
        {
            self.tell(What::OtherVersion { asked, served });
        }
        if let Some(notice) = reply.header("x-shopify-api-deprecated-reason")
            && self
                .core
                .prices
                .tell_deprecation(&self.request.operation, gate::now())
        {
            self.tell(What::Deprecated { notice });
        }
    }

    fn http_request(&self, token: &AccessToken) -> Option<http::Request<Bytes>> {
        let json = HeaderValue::from_static("application/json");
        let mut request = http::Request::new(self.request.body.clone());
        *request.method_mut() = Method::POST;
        *request.uri_mut() = self.core.url.clone();
        let headers = request.headers_mut();
        headers.insert(header::CONTENT_TYPE, json.clone());
        headers.insert(header::ACCEPT, json);
        headers.insert(header::USER_AGENT, self.core.settings.user_agent.clone());
        headers.insert(&TOKEN, token.header()?);
        if self.options.debug_cost {
            headers.insert("shopify-graphql-cost-debug", HeaderValue::from_static("1"));
        }
        if self.core.settings.log_bodies {
            let body = String::from_utf8_lossy(&self.request.body);
            tracing::trace!(target: "tollgate::wire", url = %self.core.url, body = &*body, "sending");
        }
        Some(request)
    }

    /// What a fault means for the other calls of the shop.
    fn spread(&self, fault: &Fault) {
        match &fault.kind {
            ErrorKind::ShopUnavailable { reason, .. } => self.core.gate.turn_away(*reason),
            ErrorKind::TooManyRequests {
                retry_after: Some(time),
                ..
            } if *time <= self.options.retry.longest_retry_after => {
                if let Some(until) = gate::now().checked_add(*time) {
                    self.core.gate.pause(until);
                }
            }
            _ => {}
        }
    }
}
