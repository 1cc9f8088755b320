//! A small HTTP/1.1 server that can be wrong on purpose: one thread a connection.

mod endpoint;
mod read;
mod write;

use std::collections::BTreeMap;
use std::io::{self, BufReader, Read, Write};
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use crate::fault::Hook;
use crate::message::{Content, Reply};
use crate::server::{Options, Server};

pub(crate) use read::HttpRequest;
pub(crate) use write::{event, head};

/// How long a server that is being dropped waits for its streams to end gracefully.
const GRACE: Duration = Duration::from_millis(200);

/// A server that listens on a loopback port. Dropping it ends its connections and threads.
pub struct HttpServer {
    shared: Arc<Shared>,
    address: SocketAddr,
    accepting: Option<JoinHandle<()>>,
}

struct Shared {
    server: Server,
    stopping: AtomicBool,
    next: AtomicU64,
    open: Mutex<BTreeMap<u64, Connection>>,
}

struct Connection {
    stream: TcpStream,
    thread: Option<JoinHandle<()>>,
}

impl HttpServer {
    /// Listens on `port` of 127.0.0.1; 0 takes any free port.
    ///
    /// # Errors
    ///
    /// When the port cannot be bound.
    pub fn start(options: &Options, port: u16) -> io::Result<HttpServer> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))?;
        let address = listener.local_addr()?;
        let shared = Arc::new(Shared {
            server: Server::new(options, format!("http://{address}")),
            stopping: AtomicBool::new(false),
            next: AtomicU64::new(0),
            open: Mutex::default(),
        });
        let accepting = {
            let shared = Arc::clone(&shared);
            thread::spawn(move || accept(&shared, &listener))
        };
        Ok(HttpServer {
            shared,
            address,
            accepting: Some(accepting),
        })
    }

    /// The URL of the MCP endpoint.
    pub fn url(&self) -> String {
        format!("http://{}/mcp", self.address)
    }
}

impl Drop for HttpServer {
    fn drop(&mut self) {
        self.shared.stopping.store(true, Ordering::SeqCst);
        // Wakes the accept loop.
        drop(TcpStream::connect(self.address));
        if let Some(accepting) = self.accepting.take() {
            drop(accepting.join());
        }
        let open = std::mem::take(&mut *self.shared.open());
        for connection in open.values() {
            drop(connection.stream.shutdown(Shutdown::Read));
        }
        let patience = Instant::now() + GRACE;
        let busy = |connection: &Connection| {
            connection
                .thread
                .as_ref()
                .is_some_and(|thread| !thread.is_finished())
        };
        while open.values().any(busy) && Instant::now() < patience {
            thread::sleep(Duration::from_millis(1));
        }
        for (_, connection) in open {
            drop(connection.stream.shutdown(Shutdown::Both));
            if let Some(thread) = connection.thread {
                drop(thread.join());
            }
        }
    }
}

impl Shared {
    fn open(&self) -> MutexGuard<'_, BTreeMap<u64, Connection>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn accept(shared: &Arc<Shared>, listener: &TcpListener) {
    for stream in listener.incoming() {
        if shared.stopping.load(Ordering::SeqCst) {
            return;
        }
        let Ok(stream) = stream else { continue };
        let Ok(clone) = stream.try_clone() else {
            continue;
        };
        let key = shared.next.fetch_add(1, Ordering::SeqCst);
        shared.open().insert(
            key,
            Connection {
                stream: clone,
                thread: None,
            },
        );
        let connection = Arc::clone(shared);
        let thread = thread::spawn(move || {
            // A client that goes away in the middle is no news.
            drop(serve(&connection, stream));
            connection.open().remove(&key);
        });
        if let Some(connection) = shared.open().get_mut(&key) {
            connection.thread = Some(thread);
        }
    }
}

/// Serves one connection until either side closes it.
fn serve(shared: &Shared, stream: TcpStream) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let mut reader = BufReader::new(stream.try_clone()?);
    let mut writer = stream;
    while let Some(request) = HttpRequest::read(&mut reader, &mut writer)? {
        let server = &shared.server;
        for hook in server.hooks() {
            if let Hook::Socket(socket) = hook
                && socket(server, &request, &mut writer)?
            {
                return wait_for_close(&mut reader);
            }
        }
        let door = server.hooks().find_map(|hook| match hook {
            Hook::Door(door) => door(server, &request),
            _ => None,
        });
        let reply = door.unwrap_or_else(|| endpoint::answer(server, &request));
        if !deliver(shared, &request, &reply, &mut reader, &mut writer)? {
            return writer.shutdown(Shutdown::Both);
        }
    }
    Ok(())
}

/// Sends a reply; returns whether the connection can be used again.
fn deliver(
    shared: &Shared,
    request: &HttpRequest,
    reply: &Reply,
    reader: &mut BufReader<TcpStream>,
    writer: &mut TcpStream,
) -> io::Result<bool> {
    let style = shared.server.config.http;
    match &reply.content {
        Content::Exit(_) => Ok(false),
        Content::Silence => wait_for_close(reader).map(|()| false),
        Content::Stream(messages, closing) => {
            let events: String = messages
                .iter()
                .map(|message| (style.event)(&message.to_string()))
                .collect();
            write::open_stream(writer, style, reply)?;
            // An empty part would end the stream.
            if !events.is_empty() {
                write::stream_part(writer, style, events.as_bytes())?;
            }
            wait_for_close(reader)?;
            if shared.stopping.load(Ordering::SeqCst) {
                if let Some(closing) = closing {
                    write::stream_part(
                        writer,
                        style,
                        (style.event)(&closing.to_string()).as_bytes(),
                    )?;
                }
                write::stream_part(writer, style, b"")?;
            }
            Ok(false)
        }
        Content::Padded(before, length, after) => {
            let total = before.len() as u64 + length + after.len() as u64;
            let fields = [
                ("Content-Type", "application/json".to_owned()),
                ("Content-Length", total.to_string()),
            ];
            writer.write_all(
                head(
                    style,
                    reply.status,
                    &fields.map(|(name, value)| (name.to_owned(), value)),
                )
                .as_bytes(),
            )?;
            writer.write_all(before.as_bytes())?;
            io::copy(&mut io::repeat(b'x').take(*length), writer)?;
            writer.write_all(after.as_bytes())?;
            Ok(request.keep_alive && !style.close)
        }
        Content::Message(_) | Content::Empty | Content::Bytes(..) => {
            write::whole(writer, style, request, reply)
        }
    }
}

/// Blocks until the client closes its side, or the server is dropped.
fn wait_for_close(reader: &mut impl Read) -> io::Result<()> {
    let mut rest = [0; 512];
    while reader.read(&mut rest)? > 0 {}
    Ok(())
}
