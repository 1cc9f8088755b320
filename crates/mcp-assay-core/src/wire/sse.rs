//! Server-Sent Events, read by the rules of the WHATWG HTML standard (section 9.2.6).

use super::bounded::Bounded;

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// Bytes kept of an `event`, `id` or `retry` value.
const MAX_FIELD: usize = 4096;

/// The longest field name that means anything.
const MAX_NAME: usize = 5;

/// One thing the stream said.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SseItem {
    /// A complete event with data.
    Event {
        /// The `event` field; `None` where absent or empty, which means `message`.
        event: Option<String>,
        /// The `data` lines, joined with LF. Not checked to be UTF-8.
        data: Vec<u8>,
        /// The `id` field of this very event (not inherited from earlier ones).
        id: Option<String>,
    },
    /// A complete event that was longer than the bound.
    Truncated {
        /// As in [`SseItem::Event`].
        event: Option<String>,
        /// The head of the data.
        data: Vec<u8>,
        /// As in [`SseItem::Event`].
        id: Option<String>,
        /// Real length of the data in bytes.
        length: u64,
        /// FNV-1a of all the data; `None` if only `event` or `id` were too long.
        hash: Option<u64>,
    },
    /// A comment line, often a keep-alive.
    Comment,
    /// A valid `retry` field.
    Retry {
        /// The reconnection time.
        milliseconds: u64,
    },
    /// The stream ended inside an event, which a client does not get to see.
    Unterminated {
        /// As in [`SseItem::Event`].
        event: Option<String>,
        /// The data so far, at most as many bytes as the bound.
        data: Vec<u8>,
        /// As in [`SseItem::Event`].
        id: Option<String>,
        /// Real length of the data so far in bytes.
        length: u64,
    },
}

/// Reads an event stream chunk by chunk, independently of how it was chunked.
///
/// Lines end in LF, CR LF or CR; a byte order mark at the start is skipped. An event ends with
/// an empty line; without `data` it is nothing. Holds at most `max_event` bytes of data, however
/// long events, lines and comments get.
#[derive(Debug)]
pub struct SseReader {
    /// Bytes of the byte order mark seen so far; `None` once the start is over.
    mark: Option<usize>,
    /// The last byte was a CR, so that LF belongs to it.
    after_cr: bool,
    line: Line,
    name: Vec<u8>,
    field: Bounded,
    data: Bounded,
    has_data: bool,
    event: Option<String>,
    id: Option<String>,
    /// An `event` or `id` of this event was longer than [`MAX_FIELD`].
    field_cut: bool,
}

/// Where in a line the reader is.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Line {
    /// In the field name, which may be empty so far.
    Name,
    /// After the colon, where one space is skipped.
    Colon(Field),
    Value(Field),
    Comment,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Field {
    Data,
    Event,
    Id,
    Retry,
    Unknown,
}

impl SseReader {
    /// A reader that keeps at most `max_event` bytes of data per event.
    #[must_use]
    pub fn new(max_event: usize) -> Self {
        Self {
            mark: Some(0),
            after_cr: false,
            line: Line::Name,
            name: Vec::with_capacity(MAX_NAME + 1),
            field: Bounded::new(MAX_FIELD),
            data: Bounded::new(max_event),
            has_data: false,
            event: None,
            id: None,
            field_cut: false,
        }
    }

    /// Reads a chunk and hands every item it completes to `sink`.
    pub fn push(&mut self, bytes: &[u8], sink: &mut impl FnMut(SseItem)) {
        let mut rest = self.skip_mark(bytes);
        while let Some(first) = rest.first() {
            if std::mem::take(&mut self.after_cr) && *first == b'\n' {
                rest = &rest[1..];
                continue;
            }
            match memchr::memchr2(b'\n', b'\r', rest) {
                Some(end) => {
                    self.text(&rest[..end]);
                    self.after_cr = rest[end] == b'\r';
                    self.end_line(sink);
                    rest = &rest[end + 1..];
                }
                None => {
                    self.text(rest);
                    return;
                }
            }
        }
    }

    /// Ends the input: what there is of an event that was not ended. The reader starts afresh.
    ///
    /// A last line without terminator counts as a line here.
    pub fn finish(&mut self) -> Option<SseItem> {
        if self.line != Line::Name || !self.name.is_empty() {
            self.end_line(&mut |_| ());
        }
        let pending = self.has_data || self.event.is_some() || self.id.is_some();
        let data = self.data.take();
        let item = pending.then(|| SseItem::Unterminated {
            event: self.event.take(),
            data: data.bytes,
            id: self.id.take(),
            length: data.length,
        });
        *self = Self::new(self.data.max());
        item
    }

    /// Skips a byte order mark at the very start, which may arrive in pieces.
    fn skip_mark<'a>(&mut self, bytes: &'a [u8]) -> &'a [u8] {
        let Some(seen) = self.mark else { return bytes };
        let missing = &BYTE_ORDER_MARK[seen..];
        let same = bytes
            .iter()
            .zip(missing)
            .take_while(|(byte, mark)| byte == mark)
            .count();
        if same == missing.len() {
            self.mark = None;
        } else if same == bytes.len() {
            self.mark = Some(seen + same);
        } else {
            // Not a mark after all: its bytes begin a field name that means nothing.
            self.mark = None;
            self.text(&BYTE_ORDER_MARK[..seen]);
            return bytes;
        }
        &bytes[same..]
    }

    /// Takes text of a line; without terminators.
    fn text(&mut self, text: &[u8]) {
        let mut rest = text;
        if self.line == Line::Name {
            let colon = rest.iter().position(|byte| *byte == b':');
            let name = &rest[..colon.unwrap_or(rest.len())];
            let room = (MAX_NAME + 1).saturating_sub(self.name.len());
            self.name.extend_from_slice(&name[..name.len().min(room)]);
            let Some(colon) = colon else { return };
            rest = &rest[colon + 1..];
            self.line = if self.name.is_empty() {
                Line::Comment
            } else {
                Line::Colon(self.begin_value())
            };
        }
        if rest.is_empty() {
            return;
        }
        if let Line::Colon(field) = self.line {
            rest = rest.strip_prefix(b" ").unwrap_or(rest);
            self.line = Line::Value(field);
        }
        match self.line {
            Line::Value(Field::Data) => self.data.push(rest),
            Line::Value(Field::Event | Field::Id | Field::Retry) => self.field.push(rest),
            _ => {}
        }
    }

    fn begin_value(&mut self) -> Field {
        self.field.clear();
        match self.name.as_slice() {
            b"data" => {
                if std::mem::replace(&mut self.has_data, true) {
                    self.data.push(b"\n");
                }
                Field::Data
            }
            b"event" => Field::Event,
            b"id" => Field::Id,
            b"retry" => Field::Retry,
            _ => Field::Unknown,
        }
    }

    fn end_line(&mut self, sink: &mut impl FnMut(SseItem)) {
        let field = match self.line {
            Line::Name if self.name.is_empty() => return self.end_event(sink),
            // A line without colon is a field with an empty value.
            Line::Name => self.begin_value(),
            Line::Colon(field) | Line::Value(field) => field,
            Line::Comment => {
                sink(SseItem::Comment);
                Field::Unknown
            }
        };
        self.line = Line::Name;
        self.name.clear();
        match field {
            Field::Event => {
                self.field_cut |= self.field.is_truncated();
                self.event = Some(self.field_text()).filter(|event| !event.is_empty());
            }
            Field::Id if !self.field.kept().contains(&0) => {
                self.field_cut |= self.field.is_truncated();
                self.id = Some(self.field_text());
            }
            Field::Retry => {
                let digits = self.field_text();
                if digits.bytes().all(|digit| digit.is_ascii_digit())
                    && let Ok(milliseconds) = digits.parse()
                {
                    sink(SseItem::Retry { milliseconds });
                }
            }
            _ => {}
        }
    }

    /// Decoded as the standard does it: what is not UTF-8 becomes U+FFFD.
    fn field_text(&self) -> String {
        String::from_utf8_lossy(self.field.kept()).into_owned()
    }

    fn end_event(&mut self, sink: &mut impl FnMut(SseItem)) {
        let (event, id) = (self.event.take(), self.id.take());
        let field_cut = std::mem::take(&mut self.field_cut);
        if !std::mem::take(&mut self.has_data) {
            return;
        }
        let head = self.data.take();
        let data = head.bytes;
        sink(if field_cut || head.hash.is_some() {
            SseItem::Truncated {
                event,
                data,
                id,
                length: head.length,
                hash: head.hash,
            }
        } else {
            SseItem::Event { event, data, id }
        });
    }
}
