//! A byte buffer that keeps the head and only counts and hashes the rest.

const FNV_OFFSET: u64 = 0xcbf2_9ce4_8422_2325;
const FNV_PRIME: u64 = 0x0000_0100_0000_01b3;

/// The first `max` bytes of what was pushed, and the length of all of it.
#[derive(Debug)]
pub(super) struct Bounded {
    max: usize,
    kept: Vec<u8>,
    length: u64,
    /// FNV-1a of everything pushed; computed only once something had to be dropped.
    hash: Option<u64>,
}

/// What a [`Bounded`] held, taken out of it.
#[derive(Debug)]
pub(super) struct Head {
    pub(super) bytes: Vec<u8>,
    pub(super) length: u64,
    pub(super) hash: Option<u64>,
}

impl Bounded {
    pub(super) fn new(max: usize) -> Self {
        Self {
            max,
            kept: Vec::new(),
            length: 0,
            hash: None,
        }
    }

    pub(super) fn push(&mut self, bytes: &[u8]) {
        self.length += bytes.len() as u64;
        let room = self.max - self.kept.len();
        if bytes.len() <= room {
            self.keep(bytes);
        } else {
            let (head, rest) = bytes.split_at(room);
            self.keep(head);
            let hash = self.hash.unwrap_or_else(|| fnv(FNV_OFFSET, &self.kept));
            self.hash = Some(fnv(hash, rest));
        }
    }

    /// Appends what is known to fit, and never lets the vector's doubling pass `max`.
    fn keep(&mut self, bytes: &[u8]) {
        let needed = self.kept.len() + bytes.len();
        if needed > self.kept.capacity() {
            let capacity = needed.max(self.kept.capacity() * 2).max(64).min(self.max);
            self.kept.reserve_exact(capacity - self.kept.len());
        }
        self.kept.extend_from_slice(bytes);
    }

    pub(super) fn max(&self) -> usize {
        self.max
    }

    pub(super) fn is_empty(&self) -> bool {
        self.length == 0
    }

    pub(super) fn is_truncated(&self) -> bool {
        self.hash.is_some()
    }

    pub(super) fn kept(&self) -> &[u8] {
        &self.kept
    }

    /// Forgets everything but keeps the allocation.
    pub(super) fn clear(&mut self) {
        self.kept.clear();
        self.length = 0;
        self.hash = None;
    }

    pub(super) fn take(&mut self) -> Head {
        Head {
            bytes: std::mem::take(&mut self.kept),
            length: std::mem::take(&mut self.length),
            hash: self.hash.take(),
        }
    }
}

fn fnv(hash: u64, bytes: &[u8]) -> u64 {
    bytes.iter().fold(hash, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(FNV_PRIME)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_the_head_and_hashes_all() {
        let mut buffer = Bounded::new(4);
        buffer.push(b"foo");
        assert!(!buffer.is_truncated());
        buffer.push(b"bar");
        let head = buffer.take();
        assert_eq!((head.bytes.as_slice(), head.length), (&b"foob"[..], 6));
        // Published FNV-1a test vector for "foobar".
        assert_eq!(head.hash, Some(0x8594_4171_f739_67e8));
        assert!(buffer.is_empty());
    }

    #[test]
    fn never_allocates_more_than_the_bound() {
        let mut buffer = Bounded::new(1000);
        for _ in 0..300 {
            buffer.push(&[b'x'; 7]);
            assert!(buffer.kept.capacity() <= 1000);
        }
        assert_eq!(buffer.take().length, 2100);
    }
}
