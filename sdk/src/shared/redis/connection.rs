use std::{sync::Arc, time::Duration};

use ::redis::{
    Client, ClientTlsConfig, Cmd, ConnectionAddr, ConnectionInfo, IntoConnectionInfo, Pipeline,
    ProtocolVersion, RedisError, RedisFuture, RedisResult, TlsCertificates, Value,
    aio::{AsyncPushSender, ConnectionLike, ConnectionManager, ConnectionManagerConfig},
    cluster::{ClusterClient, ClusterConfig},
    cluster_async::ClusterConnection,
};
use rustls::crypto::{CryptoProvider, ring};
use tokio::sync::OnceCell;

use super::{RedisLedgerError, bells::Bells};
use crate::shop::shown;

/// The longest time for setting up a connection.
const CONNECTS_WITHIN: Duration = Duration::from_secs(2);

/// The longest time for a reply. Calls do not wait for it: it is long so that what a server grants
/// late, after a pause, still comes to be known here and can be given back.
const REPLIES_WITHIN: Duration = Duration::from_secs(15);

/// The longest pause between two tries to connect.
const TRIES_EVERY: Duration = Duration::from_millis(500);

/// How many commands may be on their way at a time.
const COMMANDS_AT_ONCE: usize = 1024;

/// A connection that restores itself and carries many commands at a time.
pub(super) struct Connection {
    to: To,
    /// Host and port; several of a cluster.
    server: String,
    channel: String,
    subscribed: OnceCell<()>,
}

#[derive(Clone)]
pub(super) enum To {
    Node(ConnectionManager),
    Cluster(ClusterConnection),
}

impl Connection {
    /// Connects when it is used. The calls that come over `channel` go to `bells`.
    pub(super) fn new(
        urls: &[String],
        cluster: bool,
        channel: String,
        bells: Arc<Bells>,
        certificates: Option<Certificates>,
    ) -> Result<Self, RedisLedgerError> {
        let push = move |push| {
            bells.push(push);
            Ok::<(), ()>(())
        };
        let mut infos = Vec::with_capacity(urls.len());
        for url in urls {
            let info = url.as_str().into_connection_info();
            infos.push(info.map_err(|source| RedisLedgerError::Url {
                given: shown(url),
                source,
            })?);
        }
        let servers: Vec<_> = infos.iter().map(|info| info.addr().to_string()).collect();
        let server = servers.join(", ");
        if infos.iter().any(uses_tls) {
            provide_cryptography();
        }
        let certificates = certificates.map(TlsCertificates::from);
        let to = match &*infos {
            [] => return Err(RedisLedgerError::NoUrl),
            _ if cluster => To::cluster(infos, push, certificates),
            [node] => To::node(node, push, certificates),
            several => return Err(RedisLedgerError::SeveralUrls(several.len())),
        };
        let to = to.map_err(|source| RedisLedgerError::Server {
            server: server.clone(),
            source,
        })?;
        Ok(Self {
            to,
            server,
            channel,
            subscribed: OnceCell::new(),
        })
    }

    pub(super) fn failed(&self, source: RedisError) -> RedisLedgerError {
        let server = self.server.clone();
        RedisLedgerError::Server { server, source }
    }

    /// Whether the server replies.
    pub(super) async fn check(&self) -> Result<(), RedisLedgerError> {
        let ping = async {
            let mut to = self.ready().await?;
            ::redis::cmd("PING").query_async(&mut to).await
        };
        ping.await.map_err(|source| self.failed(source))
    }

    /// The connection, after it has been set up to hear calls.
    pub(super) async fn ready(&self) -> RedisResult<To> {
        let subscribe = || async {
            match self.to.clone() {
                To::Node(mut node) => node.subscribe(&self.channel).await,
                To::Cluster(mut cluster) => cluster.subscribe(&self.channel).await,
            }
        };
        self.subscribed.get_or_try_init(subscribe).await?;
        Ok(self.to.clone())
    }

    /// The connection, unless it is to a cluster.
    pub(super) fn single(&self) -> Option<ConnectionManager> {
        match &self.to {
            To::Node(node) => Some(node.clone()),
            To::Cluster(_) => None,
        }
    }
}

impl To {
    fn node(
        info: &ConnectionInfo,
        push: impl AsyncPushSender,
        certificates: Option<TlsCertificates>,
    ) -> RedisResult<Self> {
        let settings = info.redis_settings().clone();
        let settings = settings.set_protocol(ProtocolVersion::RESP3);
        let info = info.clone().set_redis_settings(settings);
        let config = ConnectionManagerConfig::new()
            .set_push_sender(push)
            .set_automatic_resubscription()
            .set_connection_timeout(Some(CONNECTS_WITHIN))
            .set_response_timeout(Some(REPLIES_WITHIN))
            .set_max_delay(TRIES_EVERY)
            .set_pipeline_buffer_size(COMMANDS_AT_ONCE);
        let client = match certificates {
            Some(certificates) => Client::build_with_tls(info, certificates)?,
            None => Client::open(info)?,
        };
        let manager = ConnectionManager::new_lazy_with_config(client, config)?;
        Ok(Self::Node(manager))
    }

    fn cluster(
        infos: Vec<ConnectionInfo>,
        push: impl AsyncPushSender,
        certificates: Option<TlsCertificates>,
    ) -> RedisResult<Self> {
        let mut builder = ClusterClient::builder(infos);
        if let Some(certificates) = certificates {
            builder = builder.certs(certificates);
        }
        let client = builder
            .use_protocol(ProtocolVersion::RESP3)
            .connection_timeout(CONNECTS_WITHIN)
            .response_timeout(REPLIES_WITHIN)
            .push_sender(push)
            .build()?;
        let config = ClusterConfig::new();
        let connection = client.get_pending_async_connection_with_config(config);
        Ok(Self::Cluster(connection))
    }
}

/// Certificates for TLS, as PEM.
#[derive(Default)]
pub(super) struct Certificates {
    pub(super) roots: Option<Vec<u8>>,
    /// The chain and the key.
    pub(super) client: Option<(Vec<u8>, Vec<u8>)>,
}

impl From<Certificates> for TlsCertificates {
    fn from(certificates: Certificates) -> Self {
        Self {
            root_cert: certificates.roots,
            client_tls: certificates
                .client
                .map(|(client_cert, client_key)| ClientTlsConfig {
                    client_cert,
                    client_key,
                }),
        }
    }
}

fn uses_tls(info: &ConnectionInfo) -> bool {
    matches!(info.addr(), ConnectionAddr::TcpTls { .. })
}

/// `redis` takes the cryptography that the process has chosen for rustls, and panics where none
/// is: then it is ring, as for everything else here.
fn provide_cryptography() {
    if CryptoProvider::get_default().is_none() {
        // Somebody else may have been faster: as good.
        let _ = ring::default_provider().install_default();
    }
}

impl ConnectionLike for To {
    fn req_packed_command<'a>(&'a mut self, cmd: &'a Cmd) -> RedisFuture<'a, Value> {
        match self {
            Self::Node(node) => node.req_packed_command(cmd),
            Self::Cluster(cluster) => cluster.req_packed_command(cmd),
        }
    }

    fn req_packed_commands<'a>(
        &'a mut self,
        cmd: &'a Pipeline,
        offset: usize,
        count: usize,
    ) -> RedisFuture<'a, Vec<Value>> {
        match self {
            Self::Node(node) => node.req_packed_commands(cmd, offset, count),
            Self::Cluster(cluster) => cluster.req_packed_commands(cmd, offset, count),
        }
    }

    fn get_db(&self) -> i64 {
        match self {
            Self::Node(node) => node.get_db(),
            Self::Cluster(cluster) => cluster.get_db(),
        }
    }
}
