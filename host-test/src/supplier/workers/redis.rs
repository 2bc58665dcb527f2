//! A Redis server of our own: on a free loopback port, without files, ended with us.

use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use crate::supplier::server;

/// It starts within a tenth of a second.
const PATIENCE: Duration = Duration::from_secs(10);

pub struct Redis {
    program: String,
    address: SocketAddr,
    child: Child,
}

impl Redis {
    pub fn start(program: &str) -> Result<Redis> {
        let address = server::listen(0)?.local_addr()?;
        let redis = Redis { program: program.to_owned(), address, child: spawn(program, address)? };
        redis.wait_for_it()?;
        Ok(redis)
    }

    pub fn url(&self) -> String {
        format!("redis://{}", self.address)
    }

    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Without a goodbye, as in a power cut: what it held is gone.
    pub fn kill(&mut self) -> Result<()> {
        self.child.kill()?;
        self.child.wait()?;
        Ok(())
    }

    /// After `kill`, on the same port, empty.
    pub fn restart(&mut self) -> Result<()> {
        self.child = spawn(&self.program, self.address)?;
        self.wait_for_it()
    }

    /// The keys of budgets.
    pub fn keys(&self) -> Result<Vec<String>> {
        self.command(&["KEYS", "sc1:*"])
    }

    pub fn set(&self, key: &str, text: &str) -> Result<()> {
        self.command(&["SET", key, text]).map(drop)
    }

    pub fn size(&self, key: &str) -> Result<usize> {
        let answer = self.command(&["STRLEN", key])?;
        answer.first().context("no answer to STRLEN")?.parse().context("the answer to STRLEN")
    }

    /// Forgets the commands so far.
    pub fn reset_count(&self) -> Result<()> {
        self.command(&["CONFIG", "RESETSTAT"]).map(drop)
    }

    /// Trips to the store since then. Each swap gets the text once itself; what is above that are
    /// loads, and swaps whose script Redis had not heard of yet.
    pub fn trips(&self) -> Result<u64> {
        let answer = self.command(&["INFO", "commandstats"])?;
        Ok(trips(answer.first().context("no answer to INFO")?))
    }

    fn wait_for_it(&self) -> Result<()> {
        let end = Instant::now() + PATIENCE;
        loop {
            match self.command(&["PING"]) {
                Ok(_) => return Ok(()),
                Err(error) if Instant::now() > end => {
                    return Err(error.context(format!("{} does not start", self.program)));
                }
                Err(_) => std::thread::sleep(Duration::from_millis(20)),
            }
        }
    }

    /// One command on a connection of its own; the texts of its answer.
    fn command(&self, words: &[&str]) -> Result<Vec<String>> {
        let mut stream = TcpStream::connect(self.address)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        let mut bytes = format!("*{}\r\n", words.len());
        for word in words {
            bytes.push_str(&format!("${}\r\n{word}\r\n", word.len()));
        }
        stream.write_all(bytes.as_bytes())?;
        let mut texts = Vec::new();
        read(&mut BufReader::new(stream), &mut texts)?;
        Ok(texts)
    }
}

impl Drop for Redis {
    fn drop(&mut self) {
        let _ = self.kill();
    }
}

fn spawn(program: &str, address: SocketAddr) -> Result<Child> {
    let port = address.port().to_string();
    Command::new(program)
        .args(["--bind", "127.0.0.1", "--port", &port, "--save", "", "--appendonly", "no", "--daemonize", "no"])
        .current_dir(std::env::temp_dir())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .spawn()
        .with_context(|| format!("`{program}` cannot be started: is Debian's package redis-server installed?"))
}

fn trips(stats: &str) -> u64 {
    let number = |command: &str, field: &str| {
        let line = stats.lines().find_map(|line| line.strip_prefix(&format!("cmdstat_{command}:")))?;
        line.split(',').find_map(|pair| pair.trim().strip_prefix(&format!("{field}=")))?.parse::<u64>().ok()
    };
    number("get", "calls").unwrap_or(0) + number("evalsha", "failed_calls").unwrap_or(0)
}

/// One value of the protocol (RESP2).
fn read(from: &mut impl BufRead, texts: &mut Vec<String>) -> Result<()> {
    let mut line = String::new();
    from.read_line(&mut line)?;
    let Some((kind, rest)) = line.trim_end().split_at_checked(1) else { bail!("Redis closed the connection") };
    match kind {
        "+" | ":" => texts.push(rest.to_owned()),
        "-" => bail!("Redis: {rest}"),
        "$" if rest == "-1" => {}
        "$" => {
            let mut bytes = vec![0; rest.parse::<usize>()? + 2];
            from.read_exact(&mut bytes)?;
            bytes.truncate(bytes.len() - 2);
            texts.push(String::from_utf8_lossy(&bytes).into_owned());
        }
        "*" => {
            for _ in 0..rest.parse::<usize>()? {
                read(from, texts)?;
            }
        }
        _ => bail!("Redis answers {line:?}"),
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_swap_is_one_trip() {
        let stats = "# Commandstats\r\n\
                     cmdstat_evalsha:calls=7,usec=90,usec_per_call=12.86,rejected_calls=0,failed_calls=1\r\n\
                     cmdstat_eval:calls=1,usec=30,usec_per_call=30.00,rejected_calls=0,failed_calls=0\r\n\
                     cmdstat_get:calls=10,usec=9,usec_per_call=0.90,rejected_calls=0,failed_calls=0\r\n";
        assert_eq!(trips(stats), 11, "three loads, seven swaps, one script that was not there");
        assert_eq!(trips("# Commandstats\r\n"), 0);
    }

    #[test]
    fn answers_of_every_kind() {
        let texts = |bytes: &str| {
            let mut texts = Vec::new();
            read(&mut bytes.as_bytes(), &mut texts).map(|()| texts).map_err(|error| error.to_string())
        };
        assert_eq!(texts("+PONG\r\n").unwrap(), ["PONG"]);
        assert_eq!(texts("*2\r\n$1\r\na\r\n$2\r\n\r\n\r\n").unwrap(), ["a", "\r\n"]);
        assert_eq!(texts("$-1\r\n").unwrap(), [""; 0]);
        assert_eq!(texts("-ERR no\r\n").unwrap_err(), "Redis: ERR no");
        assert!(texts("").is_err());
    }
}
