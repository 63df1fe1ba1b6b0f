//! Frames from a server, as they come.

use flate2::{Decompress, FlushDecompress, Status};

use super::shape::{Scan, Searches, Shape};

/// The longest payload of a frame that is kept: control frames', by RFC 6455.
const MAX_CONTROL: u64 = 125;

/// What was heard.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Heard {
    /// A whole message.
    Message(Shape),
    /// A WebSocket ping with its payload.
    Ping(Vec<u8>),
    /// The server closes, with this code.
    Close(u16),
    /// This is no frame that a server may send.
    Bad(&'static str),
}

/// Reads the frames of one connection. Owns memory only in the middle of a frame.
#[derive(Debug, Default)]
pub(super) struct Reader {
    /// A header or a control frame that is not whole yet.
    kept: Vec<u8>,
    /// The data frame that is being read.
    frame: Option<Frame>,
    scan: Scan,
    /// The message goes on in another frame.
    is_continued: bool,
    /// Messages may be deflated.
    deflate: bool,
    /// There is one while the message that is being read is deflated.
    inflater: Option<Box<Decompress>>,
}

/// What the end of a deflated message is sent without (RFC 7692 §7.2.2).
const TAIL: [u8; 4] = [0, 0, 0xFF, 0xFF];

/// Bytes that are inflated at once.
const INFLATED: usize = 64 * 1024;

/// A data frame's state.
#[derive(Debug, Clone, Copy)]
struct Frame {
    left: u64,
    is_last: bool,
}

/// A frame's header.
#[derive(Debug, Clone, Copy)]
struct Header {
    opcode: u8,
    is_last: bool,
    is_deflated: bool,
    length: u64,
    size: usize,
}

impl Reader {
    /// At the beginning; `deflate` where messages may be deflated.
    pub(super) fn new(deflate: bool) -> Self {
        Self {
            deflate,
            ..Self::default()
        }
    }

    /// Whether nothing is begun: such a reader need not be kept.
    pub(super) fn is_between_messages(&self) -> bool {
        self.kept.is_empty() && self.frame.is_none() && !self.is_continued
    }

    /// Takes what came; appends what it was.
    pub(super) fn feed(&mut self, searches: &Searches, bytes: &[u8], heard: &mut Vec<Heard>) {
        if self.kept.is_empty() {
            self.take(searches, bytes, heard);
            return;
        }
        let mut joined = std::mem::take(&mut self.kept);
        joined.extend_from_slice(bytes);
        self.take(searches, &joined, heard);
    }

    fn take(&mut self, searches: &Searches, mut bytes: &[u8], heard: &mut Vec<Heard>) {
        loop {
            if let Some(frame) = self.frame {
                match self.payload(searches, frame, bytes, heard) {
                    Some(rest) => bytes = rest,
                    None => return heard.push(Heard::Bad("a message that cannot be inflated")),
                }
            }
            if bytes.is_empty() {
                return;
            }
            match self.next_frame(bytes, heard) {
                Some(rest) => bytes = rest,
                None => return,
            }
        }
    }

    /// Takes a data frame's payload; what follows it. `None` where it cannot be inflated.
    fn payload<'a>(
        &mut self,
        searches: &Searches,
        frame: Frame,
        bytes: &'a [u8],
        heard: &mut Vec<Heard>,
    ) -> Option<&'a [u8]> {
        let size = usize::try_from(frame.left).map_or(bytes.len(), |left| left.min(bytes.len()));
        let (piece, rest) = bytes.split_at(size);
        let left = frame.left - size as u64;
        let ends = left == 0 && frame.is_last;
        match self.inflater.is_some() {
            true => self.inflate(searches, piece, ends)?,
            false => self.scan.take(searches, piece, ends),
        }
        if ends {
            self.inflater = None;
            heard.push(Heard::Message(self.scan.end()));
        }
        self.frame = (left > 0).then_some(Frame { left, ..frame });
        Some(rest)
    }

    /// Takes a piece of a deflated message. `None` where it cannot be inflated.
    fn inflate(&mut self, searches: &Searches, piece: &[u8], ends: bool) -> Option<()> {
        let inflater = self.inflater.as_mut()?;
        let mut text = Vec::with_capacity(INFLATED);
        for mut left in [piece, if ends { &TAIL } else { &[] }] {
            loop {
                text.clear();
                let before = inflater.total_in();
                let status = inflater.decompress_vec(left, &mut text, FlushDecompress::None);
                left = &left[(inflater.total_in() - before) as usize..];
                self.scan.take(searches, &text, false);
                // A full buffer may not have been all.
                if status.ok()? == Status::StreamEnd || text.len() < text.capacity() {
                    break;
                }
            }
        }
        if ends {
            self.scan.take(searches, &[], true);
        }
        Some(())
    }

    /// Takes a header, and the whole of a control frame; what follows. `None` where more has to
    /// come first, or nothing more can be understood.
    fn next_frame<'a>(&mut self, bytes: &'a [u8], heard: &mut Vec<Heard>) -> Option<&'a [u8]> {
        let header = match Header::read(bytes) {
            Ok(Some(header)) => header,
            Ok(None) => {
                self.kept = bytes.to_vec();
                return None;
            }
            Err(what) => {
                heard.push(Heard::Bad(what));
                return None;
            }
        };
        let payload = &bytes[header.size..];
        if header.opcode < 8 {
            if (header.opcode == 0) != self.is_continued {
                heard.push(Heard::Bad("a message within a message"));
                return None;
            }
            self.is_continued = !header.is_last;
            if header.is_deflated {
                if !self.deflate {
                    heard.push(Heard::Bad("a message that is deflated"));
                    return None;
                }
                self.inflater = Some(Box::new(Decompress::new(false)));
            }
            self.frame = Some(Frame {
                left: header.length,
                is_last: header.is_last,
            });
            return Some(payload);
        }
        let length = usize::try_from(header.length).unwrap_or(usize::MAX);
        let Some((control, rest)) = payload.split_at_checked(length) else {
            self.kept = bytes.to_vec();
            return None;
        };
        match header.opcode {
            8 => heard.push(Heard::Close(match control {
                [high, low, ..] => u16::from_be_bytes([*high, *low]),
                _ => 1005,
            })),
            9 => heard.push(Heard::Ping(control.to_vec())),
            _ => {}
        }
        Some(rest)
    }
}

impl Header {
    /// `None` where it is not whole yet.
    fn read(bytes: &[u8]) -> Result<Option<Self>, &'static str> {
        let Some((&[first, second], rest)) = bytes.split_first_chunk::<2>() else {
            return Ok(None);
        };
        let is_deflated = first & 0x40 != 0;
        if second & 0x80 != 0 || first & 0x30 != 0 || is_deflated && !matches!(first & 0x0F, 1 | 2)
        {
            return Err("a masked frame, or one of an extension");
        }
        let (length, size) = match second {
            126 => match rest.first_chunk() {
                Some(length) => (u64::from(u16::from_be_bytes(*length)), 4),
                None => return Ok(None),
            },
            127 => match rest.first_chunk() {
                Some(length) => (u64::from_be_bytes(*length), 10),
                None => return Ok(None),
            },
            short => (u64::from(short), 2),
        };
        let opcode = first & 0x0F;
        if opcode >= 8 && length > MAX_CONTROL {
            return Err("a control frame that is too long");
        }
        if matches!(opcode, 2..=7 | 11..) {
            return Err("a frame that is neither text nor control");
        }
        Ok(Some(Self {
            opcode,
            is_last: first & 0x80 != 0,
            is_deflated,
            length,
            size,
        }))
    }
}

#[cfg(test)]
mod tests;
