//! WebSocket frames (RFC 6455), as much as a server needs that knows no extension but
//! [`deflate`].
//!
//! Why not a library: a held connection may cost a few hundred bytes, and every library keeps a
//! read buffer for each. Here bytes are parsed where they were read; a connection owns memory only
//! while a message of its is incomplete.

pub mod deflate;
pub mod read;
mod unmask;
pub mod write;

/// The longest message that is read. 100 properties of 1 KiB, the most a user may have, fit with
/// their JSON around them; a longer message is answered with close 1009 as soon as a frame's
/// header announces it, and a deflated one as soon as it is inflated so far.
pub const MAX_MESSAGE: usize = 128 * 1024;

/// The longest payload of a control frame, by the RFC.
pub const MAX_CONTROL: usize = 125;

/// What a frame is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Opcode {
    /// Goes on with the message that an earlier frame began.
    Continuation,
    /// Begins a text.
    Text,
    /// Begins a binary message.
    Binary,
    /// Says goodbye.
    Close,
    /// Asks for a pong.
    Ping,
    /// Answers a ping.
    Pong,
}

impl Opcode {
    /// From the first four low bits of a frame; `None` for reserved ones.
    fn from_bits(bits: u8) -> Option<Self> {
        Some(match bits {
            0x0 => Self::Continuation,
            0x1 => Self::Text,
            0x2 => Self::Binary,
            0x8 => Self::Close,
            0x9 => Self::Ping,
            0xA => Self::Pong,
            _ => return None,
        })
    }

    fn bits(self) -> u8 {
        match self {
            Self::Continuation => 0x0,
            Self::Text => 0x1,
            Self::Binary => 0x2,
            Self::Close => 0x8,
            Self::Ping => 0x9,
            Self::Pong => 0xA,
        }
    }

    fn is_control(self) -> bool {
        matches!(self, Self::Close | Self::Ping | Self::Pong)
    }
}

/// What is wrong with a peer's frames. Each is answered with its close code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Violation {
    /// Against the RFC.
    #[error("{0}")]
    Protocol(&'static str),
    /// A text that is not UTF-8.
    #[error("a text is not UTF-8")]
    NotUtf8,
    /// A message that is not deflated, though it says so.
    #[error("a message cannot be inflated")]
    NotDeflated,
    /// A binary message.
    #[error("messages are texts")]
    Binary,
    /// Longer than [`MAX_MESSAGE`].
    #[error("the message is too long")]
    TooLong,
}

impl Violation {
    /// The code of the close frame that answers it.
    pub fn code(self) -> u16 {
        match self {
            Self::Protocol(_) => 1002,
            Self::Binary => 1003,
            Self::NotUtf8 | Self::NotDeflated => 1007,
            Self::TooLong => 1009,
        }
    }
}
