use std::{fmt, sync::Arc, time::Duration};

use ::redis::Script;

use super::{
    RedisLedger, RedisLedgerError, RedisStore,
    bells::Bells,
    connection::{Certificates, Connection},
};
use crate::ledgers::Ledgers;

/// How long a process waits for the store before it goes by its own ledger, unless told otherwise.
const PATIENCE: Duration = Duration::from_millis(50);

/// Settings of a [`RedisLedger`].
#[must_use = "`connect` makes the ledger"]
pub struct RedisLedgerBuilder {
    urls: Vec<String>,
    cluster: bool,
    prefix: String,
    patience: Duration,
    certificates: Option<Certificates>,
}

impl RedisLedgerBuilder {
    pub(super) fn new(urls: Vec<String>) -> Self {
        Self {
            urls,
            cluster: false,
            prefix: "tollgate".to_owned(),
            patience: PATIENCE,
            certificates: None,
        }
    }

    /// The server is a cluster.
    pub fn cluster(mut self, cluster: bool) -> Self {
        self.cluster = cluster;
        self
    }

    /// What all keys and channels begin with, `tollgate` by default.
    pub fn prefix(mut self, prefix: impl Into<String>) -> Self {
        self.prefix = prefix.into();
        self
    }

    /// How long a call waits for the store to reply before it goes by the process's own ledger, 50
    /// milliseconds by default. It should be several times a round trip.
    pub fn patience(mut self, patience: Duration) -> Self {
        self.patience = patience;
        self
    }

    /// The certificates, as PEM, that a server's certificate has to descend from, instead of those
    /// that the system trusts. For URLs with `rediss://`.
    pub fn root_certificates(mut self, pem: impl Into<Vec<u8>>) -> Self {
        self.certificates.get_or_insert_default().roots = Some(pem.into());
        self
    }

    /// The certificate that this worker shows the server, with those between it and the root, and
    /// its private key, both as PEM. For URLs with `rediss://`.
    pub fn client_certificate(
        mut self,
        chain: impl Into<Vec<u8>>,
        key: impl Into<Vec<u8>>,
    ) -> Self {
        self.certificates.get_or_insert_default().client = Some((chain.into(), key.into()));
        self
    }

    /// Connects, and checks that the server replies.
    ///
    /// # Errors
    /// When a URL or a certificate makes no sense, or the server cannot be reached or refuses the
    /// user.
    pub async fn connect(self) -> Result<RedisLedger, RedisLedgerError> {
        let ledger = self.lazy()?;
        ledger.store.connection.check().await?;
        Ok(ledger)
    }

    /// Connects at the first call: until the server can be reached, calls go by the process's own
    /// ledger. Needs a tokio runtime.
    ///
    /// # Errors
    /// When a URL or a certificate makes no sense.
    pub fn lazy(self) -> Result<RedisLedger, RedisLedgerError> {
        let worker = uuid::Uuid::new_v4().simple().to_string();
        let channels = format!("{}:worker:", self.prefix);
        let bells = Arc::new(Bells::default());
        let connection = Connection::new(
            &self.urls,
            self.cluster,
            format!("{channels}{worker}"),
            Arc::clone(&bells),
            self.certificates,
        )?;
        let store = Arc::new(RedisStore {
            connection,
            bells,
            prefix: self.prefix,
            channels,
            script: Script::new(include_str!("account.lua")),
        });
        Ok(RedisLedger {
            ledgers: Ledgers::in_store(Arc::clone(&store), worker, self.patience),
            store,
        })
    }
}

impl fmt::Debug for RedisLedgerBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Without the URLs and the key: they are secret.
        f.debug_struct("RedisLedgerBuilder")
            .field("cluster", &self.cluster)
            .field("prefix", &self.prefix)
            .field("patience", &self.patience)
            .finish_non_exhaustive()
    }
}
