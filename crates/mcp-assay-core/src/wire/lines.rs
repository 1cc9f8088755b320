//! Newline-delimited framing, as on stdio (basic/transports/stdio).

use super::bounded::Bounded;

/// One line as it arrived.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// The line without its terminator; only the head of it where `truncated`.
    pub bytes: Vec<u8>,
    /// Real length in bytes, without the terminator.
    pub length: u64,
    /// The line was longer than the bound, so `bytes` is not all of it.
    pub truncated: bool,
    /// FNV-1a of the whole line; only where `truncated`.
    pub hash: Option<u64>,
    /// The terminator was CR LF.
    pub crlf: bool,
    /// A terminator was seen; `false` only for the tail at the end of the input.
    pub terminated: bool,
}

/// Cuts a byte stream into lines, independently of how the stream was chunked.
///
/// Holds at most `max_line` bytes, however long a line gets. Only LF ends a line.
#[derive(Debug)]
pub struct LineSplitter {
    line: Bounded,
    /// A CR was seen that is content unless LF follows.
    pending_cr: bool,
}

impl LineSplitter {
    /// A splitter that keeps at most `max_line` bytes of each line.
    #[must_use]
    pub fn new(max_line: usize) -> Self {
        Self {
            line: Bounded::new(max_line),
            pending_cr: false,
        }
    }

    /// Reads a chunk and hands every line it completes to `sink`.
    pub fn push(&mut self, bytes: &[u8], sink: &mut impl FnMut(Line)) {
        let mut rest = bytes;
        while let Some(end) = memchr::memchr(b'\n', rest) {
            self.content(&rest[..end]);
            rest = &rest[end + 1..];
            let crlf = std::mem::take(&mut self.pending_cr);
            sink(self.take(crlf, true));
        }
        self.content(rest);
    }

    /// Ends the input: the unterminated tail, if there is one. The splitter starts afresh.
    pub fn finish(&mut self) -> Option<Line> {
        self.flush_cr();
        (!self.line.is_empty()).then(|| self.take(false, false))
    }

    fn content(&mut self, bytes: &[u8]) {
        if bytes.is_empty() {
            return;
        }
        self.flush_cr();
        let content = bytes.strip_suffix(b"\r").unwrap_or(bytes);
        self.pending_cr = content.len() < bytes.len();
        self.line.push(content);
    }

    fn flush_cr(&mut self) {
        if std::mem::take(&mut self.pending_cr) {
            self.line.push(b"\r");
        }
    }

    fn take(&mut self, crlf: bool, terminated: bool) -> Line {
        let head = self.line.take();
        Line {
            bytes: head.bytes,
            length: head.length,
            truncated: head.hash.is_some(),
            hash: head.hash,
            crlf,
            terminated,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn split(chunks: &[&[u8]], max_line: usize) -> Vec<Line> {
        let mut lines = Vec::new();
        let mut splitter = LineSplitter::new(max_line);
        for chunk in chunks {
            splitter.push(chunk, &mut |line| lines.push(line));
        }
        lines.extend(splitter.finish());
        lines
    }

    fn line(bytes: &[u8], crlf: bool, terminated: bool) -> Line {
        let length = bytes.len() as u64;
        Line {
            bytes: bytes.to_vec(),
            length,
            truncated: false,
            hash: None,
            crlf,
            terminated,
        }
    }

    #[test]
    fn tells_terminators_apart() {
        assert_eq!(
            split(&[b"a\nb\r", b"\n\r\n\nc\rd"], 100),
            [
                line(b"a", false, true),
                line(b"b", true, true),
                line(b"", true, true),
                line(b"", false, true),
                line(b"c\rd", false, false),
            ]
        );
        assert_eq!(split(&[b"x\r"], 100), [line(b"x\r", false, false)]);
        assert_eq!(split(&[b"x\r\r\n"], 100), [line(b"x\r", true, true)]);
        assert_eq!(split(&[b"x\n"], 100).len(), 1);
    }

    #[test]
    fn keeps_only_the_head_of_a_long_line() {
        let long = split(&[b"abcdef\r\nok\n"], 4);
        assert_eq!(long[0].bytes, b"abcd");
        assert_eq!(
            (long[0].length, long[0].truncated, long[0].crlf),
            (6, true, true)
        );
        assert!(long[0].hash.is_some());
        assert_eq!(long[1], line(b"ok", false, true));
        // The terminator does not count.
        assert!(!split(&[b"abcd\r\n"], 4)[0].truncated);
    }

    proptest! {
        #[test]
        fn chunking_does_not_matter(
            input in proptest::collection::vec(prop_oneof![Just(b'\n'), Just(b'\r'), any::<u8>()], 0..60),
            max_line in 0usize..12,
            size in 1usize..8,
        ) {
            let whole = split(&[&input], max_line);
            let chunks: Vec<&[u8]> = input.chunks(size).collect();
            prop_assert_eq!(&split(&chunks, max_line), &whole);

            let total: u64 = whole
                .iter()
                .map(|line| line.length + u64::from(line.crlf) + u64::from(line.terminated))
                .sum();
            prop_assert_eq!(total, input.len() as u64);
            for line in &whole {
                prop_assert_eq!(line.truncated, line.length > max_line as u64);
                prop_assert_eq!(line.bytes.len() as u64, line.length.min(max_line as u64));
            }
        }
    }
}
