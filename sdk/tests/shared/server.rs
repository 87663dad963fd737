use std::{
    fs, io,
    net::TcpListener,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use redis::aio::MultiplexedConnection;
use tokio::time::sleep;

/// A server of this test alone.
pub(crate) struct Server {
    port: u16,
    directory: PathBuf,
    settings: Vec<String>,
    child: Child,
}

impl Server {
    /// Starts one on a free port; `None`, with a word about it, where there is none installed.
    pub(crate) async fn start() -> Option<Self> {
        Self::start_with(&[]).await
    }

    /// Starts one with settings of its own.
    pub(crate) async fn start_with(settings: &[&str]) -> Option<Self> {
        let port = free_port();
        let directory = std::env::temp_dir().join(format!("tollgate-redis-{port}"));
        fs::create_dir_all(&directory).unwrap();
        let settings: Vec<String> = settings.iter().map(ToString::to_string).collect();
        match launch(port, &directory, &settings) {
            Ok(child) => {
                let server = Self {
                    port,
                    directory,
                    settings,
                    child,
                };
                server.ready().await;
                Some(server)
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                println!("skipped: redis-server is not installed");
                None
            }
            Err(error) => panic!("redis-server does not start: {error}"),
        }
    }

    pub(crate) const fn port(&self) -> u16 {
        self.port
    }

    pub(crate) fn url(&self) -> String {
        format!("redis://127.0.0.1:{}", self.port)
    }

    pub(crate) async fn connection(&self) -> MultiplexedConnection {
        let client = redis::Client::open(self.url()).unwrap();
        client.get_multiplexed_async_connection().await.unwrap()
    }

    pub(crate) async fn command<T: redis::FromRedisValue>(&self, command: &str) -> T {
        let mut words = command.split(' ');
        let mut command = redis::cmd(words.next().unwrap());
        words.for_each(|word| {
            command.arg(word);
        });
        command
            .query_async(&mut self.connection().await)
            .await
            .unwrap()
    }

    /// How often scripts have been run.
    pub(crate) async fn scripts_run(&self) -> u64 {
        let stats: String = self.command("INFO commandstats").await;
        let line = stats
            .lines()
            .find_map(|line| line.strip_prefix("cmdstat_evalsha:calls="));
        let calls = line.and_then(|line| line.split(',').next());
        calls.map_or(0, |calls| calls.parse().unwrap())
    }

    /// Stops it as a machine that hangs does.
    pub(crate) fn pause(&self) {
        signal("STOP", self.child.id());
    }

    pub(crate) fn resume(&self) {
        signal("CONT", self.child.id());
    }

    /// Ends it at once; what it knew is lost.
    pub(crate) fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    pub(crate) async fn restart(&mut self) {
        self.child = launch(self.port, &self.directory, &self.settings).unwrap();
        self.ready().await;
    }

    async fn ready(&self) {
        let begun = Instant::now();
        let client = redis::Client::open(self.url()).unwrap();
        while client.get_multiplexed_async_connection().await.is_err() {
            assert!(
                begun.elapsed() < Duration::from_secs(20),
                "redis-server does not reply"
            );
            sleep(Duration::from_millis(10)).await;
        }
    }
}

/// A port on which nobody listens, nor on the one 10 000 above, which a cluster talks over.
pub(crate) fn free_port() -> u16 {
    // Nobody listens once the listener is gone.
    let free = |port| TcpListener::bind(("127.0.0.1", port)).map(|bound| bound.local_addr());
    loop {
        let port = free(0).unwrap().unwrap().port();
        if port
            .checked_add(10_000)
            .is_some_and(|bus| free(bus).is_ok())
        {
            return port;
        }
    }
}

/// `$TOLLGATE_REDIS_SERVER` names another server than the installed one.
fn launch(port: u16, directory: &Path, settings: &[String]) -> io::Result<Child> {
    let program = std::env::var_os("TOLLGATE_REDIS_SERVER");
    Command::new(program.as_deref().unwrap_or("redis-server".as_ref()))
        .args(["--port", &port.to_string(), "--bind", "127.0.0.1"])
        .args(["--save", "", "--appendonly", "no"])
        .args(settings)
        .arg("--dir")
        .arg(directory)
        .stdout(Stdio::null())
        .spawn()
}

/// Sends a signal to a process of ours.
pub(crate) fn signal(name: &str, process: u32) {
    let status = Command::new("kill")
        .args(["-s", name, &process.to_string()])
        .status();
    assert!(status.unwrap().success());
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = fs::remove_dir_all(&self.directory);
    }
}
