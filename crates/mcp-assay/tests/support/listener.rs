//! A port that gives one answer to everything and remembers what it was sent.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

pub struct Listener {
    origin: String,
    requests: Arc<Mutex<Vec<String>>>,
}

impl Listener {
    /// Answers every request with this HTTP response and ends the connection.
    pub fn saying(response: String) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let origin = format!("http://{}", listener.local_addr().unwrap());
        let requests: Arc<Mutex<Vec<String>>> = Arc::default();
        let seen = Arc::clone(&requests);
        // Ends with the test's process.
        thread::spawn(move || {
            for stream in listener.incoming() {
                answer(stream.unwrap(), &response, &seen);
            }
        });
        Self { origin, requests }
    }

    pub fn origin(&self) -> &str {
        &self.origin
    }

    /// The heads and bodies of the requests that came.
    pub fn requests(&self) -> Vec<String> {
        self.requests.lock().unwrap().clone()
    }
}

fn answer(mut stream: TcpStream, response: &str, seen: &Mutex<Vec<String>>) {
    stream
        .set_read_timeout(Some(Duration::from_millis(200)))
        .unwrap();
    let mut request = Vec::new();
    let mut buffer = [0; 4096];
    while !is_whole(&request) {
        match stream.read(&mut buffer) {
            Ok(0) | Err(_) => break,
            Ok(count) => request.extend_from_slice(&buffer[..count]),
        }
    }
    seen.lock()
        .unwrap()
        .push(String::from_utf8_lossy(&request).into_owned());
    // A client that went away is no news.
    drop(stream.write_all(response.as_bytes()));
}

/// The head is there, and as much of a body as it announces.
fn is_whole(request: &[u8]) -> bool {
    let text = String::from_utf8_lossy(request).to_lowercase();
    let Some((head, body)) = text.split_once("\r\n\r\n") else {
        return false;
    };
    let length = head
        .lines()
        .find_map(|line| line.strip_prefix("content-length:"))
        .and_then(|length| length.trim().parse().ok())
        .unwrap_or(0);
    body.len() >= length
}
