//! Reading HTTP/1.1 requests.

use std::io::{self, BufRead, Read, Write};

use crate::message::header;

/// Longest request head and body that are read, in bytes.
const HEAD_LIMIT: u64 = 256 * 1024;
const BODY_LIMIT: u64 = 64 * 1024 * 1024;

/// A request as it arrived.
#[derive(Debug)]
pub(crate) struct HttpRequest {
    pub(crate) method: String,
    /// Path and query.
    pub(crate) target: String,
    /// In order; bytes that are no UTF-8 become U+FFFD.
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
    /// Whether the client expects to use the connection again.
    pub(crate) keep_alive: bool,
}

impl HttpRequest {
    /// Reads the next request; `None` when the client is done. `writer` is for `100 Continue`.
    pub(crate) fn read(
        reader: &mut impl BufRead,
        writer: &mut impl Write,
    ) -> io::Result<Option<HttpRequest>> {
        let mut head = reader.by_ref().take(HEAD_LIMIT);
        let Some(start) = line(&mut head)?.filter(|start| !start.is_empty()) else {
            return Ok(None);
        };
        let mut words = start.split(' ');
        let (Some(method), Some(target), Some(version)) =
            (words.next(), words.next(), words.next())
        else {
            return Err(invalid("malformed request line"));
        };
        let mut headers = Vec::new();
        while let Some(field) = line(&mut head)?.filter(|field| !field.is_empty()) {
            let (name, value) = field
                .split_once(':')
                .ok_or_else(|| invalid("malformed header field"))?;
            headers.push((name.to_owned(), value.trim_matches([' ', '\t']).to_owned()));
        }
        if header(&headers, "expect")
            .is_some_and(|value| value.eq_ignore_ascii_case("100-continue"))
        {
            writer.write_all(b"HTTP/1.1 100 Continue\r\n\r\n")?;
        }
        let mut body = Vec::new();
        if header(&headers, "transfer-encoding").is_some() {
            read_chunks(reader, &mut body)?;
        } else if let Some(length) = header(&headers, "content-length") {
            let length = length
                .parse()
                .map_err(|_| invalid("malformed content length"))?;
            read_exactly(reader, length, &mut body)?;
        }
        let close =
            header(&headers, "connection").is_some_and(|value| value.eq_ignore_ascii_case("close"));
        Ok(Some(HttpRequest {
            method: method.to_owned(),
            target: target.to_owned(),
            keep_alive: version == "HTTP/1.1" && !close,
            headers,
            body,
        }))
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        header(&self.headers, name)
    }

    /// The target without its query.
    pub(crate) fn path(&self) -> &str {
        self.target.split('?').next().unwrap_or_default()
    }
}

/// One line without its end; `None` at the end of the stream.
fn line(reader: &mut impl BufRead) -> io::Result<Option<String>> {
    let mut bytes = Vec::new();
    if reader.read_until(b'\n', &mut bytes)? == 0 {
        return Ok(None);
    }
    Ok(Some(
        String::from_utf8_lossy(&bytes)
            .trim_end_matches(['\r', '\n'])
            .to_owned(),
    ))
}

fn read_exactly(reader: &mut impl BufRead, length: u64, body: &mut Vec<u8>) -> io::Result<()> {
    if length + body.len() as u64 > BODY_LIMIT {
        return Err(invalid("request body too long"));
    }
    if (reader.by_ref().take(length).read_to_end(body)? as u64) < length {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    Ok(())
}

fn read_chunks(reader: &mut impl BufRead, body: &mut Vec<u8>) -> io::Result<()> {
    loop {
        let size = line(reader)?.ok_or(io::ErrorKind::UnexpectedEof)?;
        let size = size.split(';').next().unwrap_or_default().trim();
        let size = u64::from_str_radix(size, 16).map_err(|_| invalid("malformed chunk size"))?;
        read_exactly(reader, size.min(BODY_LIMIT + 1), body)?;
        // The end of the chunk, or the trailer section after the last one.
        while line(reader)?.is_some_and(|line| size == 0 && !line.is_empty()) {}
        if size == 0 {
            return Ok(());
        }
    }
}

fn invalid(message: &'static str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, message)
}
