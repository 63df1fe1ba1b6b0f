//! Reading a client's frames out of whatever pieces they arrive in.

use std::borrow::Cow;

use super::deflate::{Coding, inflate};
use super::unmask::unmask;
use super::write::RSV1;
use super::{MAX_CONTROL, MAX_MESSAGE, Opcode, Violation};

/// Something whole that a client sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event<'a> {
    /// A message, from however many frames.
    Text(Cow<'a, str>),
    /// To be answered with the same payload.
    Ping(Cow<'a, [u8]>),
    /// Of no consequence.
    Pong,
    /// The client closes, with a code or without.
    Close(Option<u16>),
}

/// Reads frames. Owns memory only while a message is incomplete.
#[derive(Default)]
pub struct Reader {
    pending: Option<Box<Pending>>,
}

/// What is there of an incomplete frame or message.
#[derive(Default)]
struct Pending {
    /// The frame's header as far as it came.
    header: Collected,
    /// The frame, once its header is complete, and how much of its payload came.
    frame: Option<(Header, usize)>,
    /// A control frame's payload as far as it came.
    control: Vec<u8>,
    /// The header of a message's first frame, while its last has not come.
    begun: Option<Header>,
    /// Its payload as far as it came.
    message: Vec<u8>,
}

/// The first bytes of a frame: at most two, a length of eight and a mask of four.
#[derive(Default)]
struct Collected {
    bytes: [u8; 14],
    len: usize,
}

#[derive(Clone, Copy)]
struct Header {
    fin: bool,
    /// The message that it begins is deflated.
    deflated: bool,
    opcode: Opcode,
    mask: [u8; 4],
    /// The payload's; within the limits.
    len: usize,
}

impl Reader {
    /// Reads on in `input`, whose messages are coded so, up to the end of the next whole thing.
    /// Returns how many bytes it used, and the thing if there is one; without one everything is
    /// used. After a violation the connection can only be closed.
    pub fn next<'a>(
        &mut self,
        input: &'a mut [u8],
        coding: Coding,
    ) -> Result<(usize, Option<Event<'a>>), Violation> {
        if self.pending.is_none()
            && let Some((header, at)) = Header::parse(input, coding)?
            && header.stands_alone()
            && input.len() - at >= header.len
        {
            let end = at + header.len;
            let payload = &mut input[at..end];
            unmask(payload, header.mask, 0);
            let event = finish(header, Cow::Borrowed(payload))?;
            return Ok((end, Some(event)));
        }
        let pending = self.pending.get_or_insert_default();
        let (used, event) = pending.next(input, coding)?;
        if pending.is_empty() {
            self.pending = None;
        }
        Ok((used, event))
    }

    /// Bytes of memory that it owns.
    pub fn heap_size(&self) -> usize {
        self.pending.as_ref().map_or(0, |pending| {
            size_of::<Pending>() + pending.message.capacity() + pending.control.capacity()
        })
    }
}

impl Pending {
    fn is_empty(&self) -> bool {
        self.header.len == 0 && self.frame.is_none() && self.begun.is_none()
    }

    fn next<'a>(
        &mut self,
        input: &mut [u8],
        coding: Coding,
    ) -> Result<(usize, Option<Event<'a>>), Violation> {
        let mut used = 0;
        loop {
            let (header, taken) = match self.frame {
                Some(frame) => frame,
                None => match self.collect_header(input, coding, &mut used)? {
                    Some(header) => (header, 0),
                    None => return Ok((used, None)),
                },
            };
            let piece = &mut input[used..];
            let len = piece.len().min(header.len - taken);
            let piece = &mut piece[..len];
            unmask(piece, header.mask, taken);
            self.payload_of(header.opcode).extend_from_slice(piece);
            used += len;
            if taken + len < header.len {
                self.frame = Some((header, taken + len));
                return Ok((used, None));
            }
            self.frame = None;
            if let Some(event) = self.end_frame(header)? {
                return Ok((used, Some(event)));
            }
        }
    }

    /// Takes bytes until a header is complete, and checks it against the message it belongs to.
    fn collect_header(
        &mut self,
        input: &[u8],
        coding: Coding,
        used: &mut usize,
    ) -> Result<Option<Header>, Violation> {
        let before = self.header.len;
        let rest = &input[*used..];
        let len = rest.len().min(self.header.bytes.len() - before);
        self.header.bytes[before..before + len].copy_from_slice(&rest[..len]);
        self.header.len += len;
        let collected = &self.header.bytes[..self.header.len];
        let Some((header, at)) = Header::parse(collected, coding)? else {
            *used += len;
            return Ok(None);
        };
        // What was taken beyond the header is payload: it is read again from `input`.
        *used += at - before;
        self.header.len = 0;
        match (header.opcode, self.begun) {
            (Opcode::Continuation, None) => {
                return Err(Violation::Protocol("a continuation of nothing"));
            }
            (Opcode::Text | Opcode::Binary, Some(_)) => {
                return Err(Violation::Protocol("a message within a message"));
            }
            (Opcode::Text | Opcode::Binary, None) => self.begun = Some(header),
            _ => {}
        }
        if !header.opcode.is_control() && self.message.len() + header.len > MAX_MESSAGE {
            return Err(Violation::TooLong);
        }
        Ok(Some(header))
    }

    fn payload_of(&mut self, opcode: Opcode) -> &mut Vec<u8> {
        if opcode.is_control() {
            &mut self.control
        } else {
            &mut self.message
        }
    }

    fn end_frame<'a>(&mut self, header: Header) -> Result<Option<Event<'a>>, Violation> {
        if header.opcode.is_control() {
            let payload = std::mem::take(&mut self.control);
            return finish(header, Cow::Owned(payload)).map(Some);
        }
        match self.begun {
            Some(begun) if header.fin => {
                self.begun = None;
                let message = std::mem::take(&mut self.message);
                finish(begun, Cow::Owned(message)).map(Some)
            }
            _ => Ok(None),
        }
    }
}

impl Header {
    /// The header at the start of `input` and its length, if it is whole. What is wrong is told
    /// at the first byte that shows it.
    fn parse(input: &[u8], coding: Coding) -> Result<Option<(Self, usize)>, Violation> {
        let Some(&first) = input.first() else {
            return Ok(None);
        };
        let deflated = first & RSV1 != 0;
        if first & 0x70 != 0 && (first & 0x70 != RSV1 || coding == Coding::Clear) {
            return Err(Violation::Protocol("a reserved bit is set"));
        }
        let fin = first & 0x80 != 0;
        let opcode =
            Opcode::from_bits(first & 0x0F).ok_or(Violation::Protocol("a reserved opcode"))?;
        if deflated && !matches!(opcode, Opcode::Text | Opcode::Binary) {
            return Err(Violation::Protocol(
                "only a message's first frame says deflated",
            ));
        }
        if opcode.is_control() && !fin {
            return Err(Violation::Protocol("a fragmented control frame"));
        }
        let Some(&second) = input.get(1) else {
            return Ok(None);
        };
        if second & 0x80 == 0 {
            return Err(Violation::Protocol("a frame without a mask"));
        }
        let short = second & 0x7F;
        if opcode.is_control() && usize::from(short) > MAX_CONTROL {
            return Err(Violation::Protocol("a control frame that is too long"));
        }
        let Some((len, at)) = length(short, &input[2..])? else {
            return Ok(None);
        };
        let Some(mask) = input[2 + at..].first_chunk() else {
            return Ok(None);
        };
        let header = Self {
            fin,
            deflated,
            opcode,
            mask: *mask,
            len,
        };
        Ok(Some((header, 2 + at + mask.len())))
    }

    /// Whether it is a whole message or a control frame.
    fn stands_alone(&self) -> bool {
        self.fin && self.opcode != Opcode::Continuation
    }
}

/// A payload's length, and how many bytes after the first two it took.
fn length(short: u8, rest: &[u8]) -> Result<Option<(usize, usize)>, Violation> {
    let (len, at) = match short {
        126 => match rest.first_chunk() {
            Some(bytes) => (u64::from(u16::from_be_bytes(*bytes)), 2),
            None => return Ok(None),
        },
        127 => match rest.first_chunk() {
            Some(bytes) => (u64::from_be_bytes(*bytes), 8),
            None => return Ok(None),
        },
        short => (u64::from(short), 0),
    };
    match usize::try_from(len) {
        Ok(len) if len <= MAX_MESSAGE => Ok(Some((len, at))),
        _ => Err(Violation::TooLong),
    }
}

/// What a whole message or control frame says.
fn finish(first: Header, payload: Cow<'_, [u8]>) -> Result<Event<'_>, Violation> {
    match first.opcode {
        Opcode::Text if first.deflated => String::from_utf8(inflate(&payload)?)
            .map(|text| Event::Text(Cow::Owned(text)))
            .map_err(|_| Violation::NotUtf8),
        Opcode::Text => match payload {
            Cow::Borrowed(bytes) => std::str::from_utf8(bytes)
                .map(Cow::Borrowed)
                .map_err(|_| Violation::NotUtf8),
            Cow::Owned(bytes) => String::from_utf8(bytes)
                .map(Cow::Owned)
                .map_err(|_| Violation::NotUtf8),
        }
        .map(Event::Text),
        Opcode::Ping => Ok(Event::Ping(payload)),
        Opcode::Pong => Ok(Event::Pong),
        Opcode::Close => close_code(&payload).map(Event::Close),
        Opcode::Binary | Opcode::Continuation => Err(Violation::Binary),
    }
}

/// The code of a close frame, if it has one that may be sent.
fn close_code(payload: &[u8]) -> Result<Option<u16>, Violation> {
    let Some((code, reason)) = payload.split_first_chunk() else {
        return match payload {
            [] => Ok(None),
            _ => Err(Violation::Protocol("half a close code")),
        };
    };
    if std::str::from_utf8(reason).is_err() {
        return Err(Violation::NotUtf8);
    }
    match u16::from_be_bytes(*code) {
        code @ (1000..=1003 | 1007..=1014 | 3000..=4999) => Ok(Some(code)),
        _ => Err(Violation::Protocol("a close code that may not be sent")),
    }
}
