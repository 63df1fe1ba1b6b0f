//! The protocol without IO: bytes in, actions out.

mod deflate;
mod extensions;
mod frames;
mod heads;
mod messages;
mod sessions;
mod tokens;
mod users;
