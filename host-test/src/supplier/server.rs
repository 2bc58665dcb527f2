//! The server: accepts connections on 127.0.0.1, reads requests, asks a [`Service`] and
//! writes its answers. Connections are kept alive.

use std::net::SocketAddr;
use std::sync::Arc;
use std::thread::JoinHandle;

use anyhow::Context;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;

use super::exchange::Answer;
use super::wire::{Head, ReadError, Request, Wire};

/// What answers the requests. Shared by all connections.
pub trait Service: Send + Sync + 'static {
    /// What `begin` found out and `answer` needs.
    type Ticket: Send;
    /// The head is there, the body is not read. `Err` answers without reading it and closes
    /// the connection.
    fn begin(&self, head: &Head) -> Result<Self::Ticket, Answer>;
    fn answer(&self, ticket: Self::Ticket, request: &Request) -> Answer;
    /// The answer has left; from now on the client can know what stands in it.
    fn written(&self, head: &Head, answer: &Answer);
    /// The client sent something that is no request.
    fn malformed(&self, why: &'static str);
}

/// A server on its own thread. Dropping it ends it.
pub struct Running<S> {
    pub address: SocketAddr,
    pub service: Arc<S>,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl<S: Service> Running<S> {
    /// Binds `127.0.0.1:port` (0: any free port) and serves on a thread of its own.
    pub fn start(service: S, port: u16) -> anyhow::Result<Running<S>> {
        Running::start_on(service, listen(port)?)
    }

    /// The same on a port that is bound already: who serves can know it beforehand.
    pub fn start_on(service: S, listener: std::net::TcpListener) -> anyhow::Result<Running<S>> {
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        let service = Arc::new(service);
        let (stop, stopped) = oneshot::channel();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let shared = service.clone();
        let thread = std::thread::Builder::new().name("supplier".into()).spawn(move || {
            runtime.block_on(async move {
                tokio::select! {
                    _ = accept(listener, shared) => {}
                    _ = stopped => {}
                }
            });
        })?;
        Ok(Running { address, service, stop: Some(stop), thread: Some(thread) })
    }

    /// `http://127.0.0.1:PORT`.
    pub fn origin(&self) -> String {
        format!("http://{}", self.address)
    }
}

/// Binds `127.0.0.1:port`; 0: any free port.
pub fn listen(port: u16) -> anyhow::Result<std::net::TcpListener> {
    std::net::TcpListener::bind(("127.0.0.1", port)).with_context(|| format!("cannot listen on 127.0.0.1:{port}"))
}

impl<S> Drop for Running<S> {
    fn drop(&mut self) {
        if let Some(stop) = self.stop.take() {
            let _ = stop.send(());
        }
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

async fn accept<S: Service>(listener: std::net::TcpListener, service: Arc<S>) {
    let listener = match TcpListener::from_std(listener) {
        Ok(listener) => listener,
        Err(error) => return eprintln!("supplier-test: cannot accept: {error}"),
    };
    loop {
        match listener.accept().await {
            Ok((stream, _)) => drop(tokio::spawn(connection(stream, service.clone()))),
            // Out of descriptors: those in use are given back in a moment.
            Err(_) => tokio::time::sleep(std::time::Duration::from_millis(10)).await,
        }
    }
}

async fn connection<S: Service>(stream: TcpStream, service: Arc<S>) {
    let mut wire = Wire::new(stream);
    loop {
        let head = match wire.head().await {
            Ok(head) => head,
            Err(error) => return refuse(wire, &*service, error).await,
        };
        let (answer, close) = match service.begin(&head) {
            Err(answer) => (answer, true),
            Ok(ticket) => match wire.body(&head).await {
                Ok(body) => {
                    let request = Request { head: head.clone(), body };
                    (service.answer(ticket, &request), head.closes())
                }
                Err(error) => return refuse(wire, &*service, error).await,
            },
        };
        let again = answer.write(&mut wire, head.method == "HEAD", close).await;
        service.written(&head, &answer);
        match again {
            Ok(true) => {}
            Ok(false) => return wire.finish().await,
            Err(_) => return,
        }
    }
}

async fn refuse<S: Service>(mut wire: Wire, service: &S, error: ReadError) {
    let ReadError::Malformed(why) = error else { return };
    service.malformed(why);
    let _ = Answer::error(400, "malformed", why).write(&mut wire, false, true).await;
    wire.finish().await;
}
