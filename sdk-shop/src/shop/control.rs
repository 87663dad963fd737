//! What a test changes while the shop is open.

use std::sync::Arc;

use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use tollgate::Operation;
use tollgate_cost::Points;

use super::Shop;
use super::state::{Answers, Drain, Given};
use crate::bucket::Level;
use crate::fault::{Fault, Storm};
use crate::latency::Latency;
use crate::overrides::Overrides;
use crate::spender::Spender;
use crate::sync::lock;

/// # Answers
impl Shop {
    /// Answers every further call of an operation with this `data`: JSON with the names of the
    /// document. The call is priced, charged and counted as ever, and a mutation takes effect.
    ///
    /// ```
    /// use serde_json::json;
    /// # use tollgate_shop::Shop;
    ///
    /// tollgate::operations! {
    ///     schema: "schema/admin.graphql",
    ///     document: "query ShopName { shop { name } }",
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let shop = Shop::builder().build()?;
    /// let client = tollgate::Client::builder("test.myshopify.com", "shpat_test")
    ///     .transport(shop.clone())
    ///     .build()?;
    ///
    /// shop.answer("ShopName", json!({ "shop": { "name": "Hats and more" } }));
    /// let answer = shop_name(&client, Default::default()).await?;
    /// assert_eq!(answer.data.shop.name, "Hats and more");
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Panics
    /// When the data cannot be written as JSON.
    #[track_caller]
    pub fn answer(&self, operation: &str, data: impl Serialize) {
        let data = given(&data);
        self.answers(operation, |answers| answers.always = Some(data));
    }

    /// As [`answer`](Self::answer), with data that is of the operation's generated type.
    ///
    /// # Panics
    /// When it is not, with the path to what is wrong.
    #[track_caller]
    pub fn answer_to<O: Operation>(&self, data: impl Serialize) {
        let data = given_to::<O>(&data);
        self.answers(O::NAME, |answers| answers.always = Some(data));
    }

    /// As [`answer_once`](Self::answer_once), with data that is of the operation's generated type.
    ///
    /// # Panics
    /// When it is not, with the path to what is wrong.
    #[track_caller]
    pub fn answer_once_to<O: Operation>(&self, data: impl Serialize) {
        let data = given_to::<O>(&data);
        self.answers(O::NAME, |answers| answers.once.push_back(data));
    }

    /// Answers the next call of an operation with this `data`; several wait in line. After them
    /// comes what [`answer`](Self::answer) said, or generated data.
    ///
    /// # Panics
    /// When the data cannot be written as JSON.
    #[track_caller]
    pub fn answer_once(&self, operation: &str, data: impl Serialize) {
        let data = given(&data);
        self.answers(operation, |answers| answers.once.push_back(data));
    }

    /// Answers every further call of an operation with what a function makes of its variables.
    pub fn answer_with(
        &self,
        operation: &str,
        answer: impl Fn(&Map<String, Value>) -> Value + Send + Sync + 'static,
    ) {
        self.answers(operation, |answers| {
            answers.always = Some(Given::Made(Arc::new(answer)));
        });
    }

    /// Gives a field one value everywhere: `set("Product.title", json!("Hat"))`, or null. An
    /// object takes the fields that the JSON names; the others are generated. A value that does
    /// not fit the type of the field is ignored.
    ///
    /// # Panics
    /// When no object type of the schema has this field.
    #[track_caller]
    pub fn set(&self, coordinate: &str, value: Value) {
        self.assert_known(coordinate);
        self.overrides(|overrides| {
            overrides.values.insert(coordinate.to_owned(), value);
        });
    }

    /// So large a share of the nullable fields (0 to 1) is null, chosen by the seed.
    pub fn set_nulls(&self, share: f64) {
        self.overrides(|overrides| overrides.nulls = share);
    }

    /// Denies a field (`"Product.variants"`) for want of a scope: `ACCESS_DENIED`, null, and the
    /// rest of the answer.
    ///
    /// # Panics
    /// When no object type of the schema has this field.
    #[track_caller]
    pub fn deny(&self, coordinate: &str, scope: &str) {
        self.assert_known(coordinate);
        self.overrides(|overrides| {
            overrides
                .denied
                .insert(coordinate.to_owned(), scope.to_owned());
        });
    }

    /// Every further run of a mutation fails with these entries of `userErrors` (`field`,
    /// `message` and, where the schema has one, `code`) and has no effect. An empty list lets it
    /// succeed again.
    ///
    /// # Panics
    /// When the schema has no such mutation, or its errors have no such field or `code`.
    #[track_caller]
    pub fn set_user_errors(&self, mutation: &str, errors: Vec<Value>) {
        let root = self.0.world.schema.mutation_type().unwrap_or("Mutation");
        self.assert_known(&format!("{root}.{mutation}"));
        for error in &errors {
            if let Err(refused) = self.0.world.fits_user_error(root, mutation, error) {
                panic!("{refused}");
            }
        }
        self.overrides(|overrides| {
            if errors.is_empty() {
                overrides.user_errors.remove(mutation);
            } else {
                overrides.user_errors.insert(mutation.to_owned(), errors);
            }
        });
    }

    fn answers(&self, operation: &str, change: impl FnOnce(&mut Answers)) {
        self.state(|state, _| change(state.answers.entry(operation.to_owned()).or_default()));
    }

    /// A misspelt name would be an override that no test notices to be without effect.
    #[track_caller]
    fn assert_known(&self, coordinate: &str) {
        assert!(
            self.0.world.has_field(coordinate),
            "no object of the shop's schema has a field `{coordinate}`"
        );
    }

    fn overrides(&self, change: impl FnOnce(&mut Overrides)) {
        self.state(|state, _| change(Arc::make_mut(&mut state.overrides)));
    }
}

/// # Faults
impl Shop {
    /// The next request meets this fault; several wait in line.
    pub fn fail_next(&self, fault: Fault) {
        self.state(|state, _| state.faults.add(None, fault));
    }

    /// The next request of an operation meets this fault; several wait in line. The files of bulk
    /// operations are the operations `bulk download` and `bulk upload`.
    pub fn fail_next_of(&self, operation: &str, fault: Fault) {
        self.state(|state, _| state.faults.add(Some(operation), fault));
    }

    /// Every further request meets this fault.
    pub fn fail_every(&self, fault: Fault) {
        self.state(|state, _| state.faults.stand(None, fault));
    }

    /// Every further request of an operation meets this fault.
    pub fn fail_every_of(&self, operation: &str, fault: Fault) {
        self.state(|state, _| state.faults.stand(Some(operation), fault));
    }

    /// Further requests meet faults at random.
    pub fn set_storm(&self, storm: Storm) {
        self.state(|state, _| state.faults.blow(storm));
    }

    /// No more faults.
    pub fn recover(&self) {
        self.state(|state, _| state.faults.clear());
    }
}

/// # Bucket
impl Shop {
    /// What the bucket holds now.
    #[must_use]
    pub fn level(&self) -> Level {
        self.state(|state, now| state.bucket.level(now))
    }

    /// Sets what the bucket holds, in points, up to its maximum.
    pub fn set_level(&self, points: u64) {
        self.state(|state, now| state.bucket.set_level(now, Points(points)));
    }

    /// Changes the size of the bucket, in points, and what it restores per second.
    pub fn set_limits(&self, maximum: u64, restore_rate: u64) {
        self.state(|state, now| {
            state.bucket.set_limits(now, Points(maximum), restore_rate);
        });
    }

    /// Replaces the other processes that spend from the same bucket.
    pub fn set_spenders(&self, spenders: Vec<Spender>) {
        self.state(|state, now| state.bucket.set_spenders(now, spenders));
    }

    /// From now on the server asks `factor` times the price of an operation.
    pub fn set_drift(&self, operation: &str, factor: f64) {
        self.state(|state, _| state.drift.insert(operation.to_owned(), factor));
    }

    /// Whether the bucket is emptied before every call; see
    /// [`Builder::drained_before_each_call`](crate::Builder::drained_before_each_call).
    pub fn set_drained_before_each_call(&self, drained: bool) {
        self.state(|state, _| state.drain = drained.then(Drain::default));
    }

    /// Changes how long answers take.
    pub fn set_latency(&self, latency: Latency) {
        self.state(|state, _| state.latency = latency);
    }
}

/// # Bulk operations
impl Shop {
    /// The next bulk operation fails with this `errorCode` after so many lines.
    pub fn fail_next_bulk(&self, code: &str, lines: u64) {
        lock(&self.0.jobs).fail_next(code, lines);
    }

    /// Every address of a bulk result that was given out is answered with 403 from now on; who
    /// asks for the operation again gets a new one.
    pub fn expire_downloads(&self) {
        lock(&self.0.jobs).expire();
    }
}

#[track_caller]
fn given(data: &impl Serialize) -> Given {
    Given::Data(raw(data))
}

#[track_caller]
fn given_to<O: Operation>(data: &impl Serialize) -> Given {
    let data = raw(data);
    if let Err(error) = O::decode(data.get()) {
        panic!("the answer is no answer to `{}`: {error}", O::NAME);
    }
    Given::Data(data)
}

#[track_caller]
fn raw(data: &impl Serialize) -> Arc<RawValue> {
    match serde_json::value::to_raw_value(data) {
        Ok(data) => data.into(),
        Err(error) => panic!("the answer cannot be written as JSON: {error}"),
    }
}
