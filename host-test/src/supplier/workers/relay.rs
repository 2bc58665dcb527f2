//! Redis, farther away: a relay that holds every answer back for a while.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use anyhow::Result;

use crate::supplier::server;

/// Its connections end with their clients, its thread with the program.
pub struct Relay {
    address: SocketAddr,
    delay_ms: Arc<AtomicU64>,
}

impl Relay {
    pub fn start(to: SocketAddr, delay: Duration) -> Result<Relay> {
        let listener = server::listen(0)?;
        let relay = Relay { address: listener.local_addr()?, delay_ms: Arc::default() };
        relay.delay(delay);
        let delay_ms = relay.delay_ms.clone();
        thread::spawn(move || accept(&listener, to, &delay_ms));
        Ok(relay)
    }

    pub fn url(&self) -> String {
        format!("redis://{}", self.address)
    }

    /// From the next answer on.
    pub fn delay(&self, delay: Duration) {
        self.delay_ms.store(u64::try_from(delay.as_millis()).unwrap_or(u64::MAX), Ordering::Relaxed);
    }
}

fn accept(listener: &TcpListener, to: SocketAddr, delay_ms: &Arc<AtomicU64>) {
    for client in listener.incoming().map_while(Result::ok) {
        // A Redis that is not there is a connection that ends.
        let Ok(redis) = TcpStream::connect(to) else { continue };
        let (Ok(questions), Ok(answers)) = (client.try_clone(), redis.try_clone()) else { continue };
        let delay_ms = delay_ms.clone();
        thread::spawn(move || forward(questions, redis, || {}));
        thread::spawn(move || {
            forward(answers, client, || thread::sleep(Duration::from_millis(delay_ms.load(Ordering::Relaxed))));
        });
    }
}

/// Until either end closes.
fn forward(mut from: TcpStream, mut to: TcpStream, before: impl Fn()) {
    let mut bytes = [0; 16 * 1024];
    while let Ok(read @ 1..) = from.read(&mut bytes) {
        before();
        if to.write_all(&bytes[..read]).is_err() {
            break;
        }
    }
    let _ = to.shutdown(std::net::Shutdown::Both);
    let _ = from.shutdown(std::net::Shutdown::Both);
}

#[cfg(test)]
mod tests {
    use std::io::{BufRead, BufReader};
    use std::time::Instant;

    use super::*;

    #[test]
    fn answers_come_later_and_unchanged() {
        let redis = server::listen(0).unwrap();
        let relay = Relay::start(redis.local_addr().unwrap(), Duration::from_millis(80)).unwrap();
        let client = TcpStream::connect(relay.address).unwrap();
        let (mut there, _) = redis.accept().unwrap();
        let mut answers = BufReader::new(client.try_clone().unwrap());
        let mut ask = |question: &str| {
            let began = Instant::now();
            (&client).write_all(question.as_bytes()).unwrap();
            let mut heard = vec![0; question.len()];
            there.read_exact(&mut heard).unwrap();
            there.write_all(&heard).unwrap();
            let mut answer = String::new();
            answers.read_line(&mut answer).unwrap();
            assert_eq!(answer, question);
            began.elapsed()
        };
        assert!(ask("PING\n") >= Duration::from_millis(80));
        relay.delay(Duration::ZERO);
        assert!(ask("GET a\n") < Duration::from_millis(80));
    }
}
