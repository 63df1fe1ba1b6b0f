//! Answers to what the streaming loop does not hand over.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha1::{Digest, Sha1};

use super::head::BadUpgrade;

/// RFC 6455 §1.3: what a server adds to the client's key before it hashes it.
const WEBSOCKET_GUID: &[u8] = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

/// The head was longer than we read.
pub const HEAD_TOO_LONG: &[u8] = b"HTTP/1.1 431 Request Header Fields Too Large\r\n\
    Connection: close\r\nContent-Length: 0\r\n\r\n";

/// There are too many connections, or too many with ordinary requests. In the form that OFREP's
/// providers read; the others look at the status alone.
pub const BUSY: &[u8] = b"HTTP/1.1 503 Service Unavailable\r\n\
    Connection: close\r\nRetry-After: 1\r\nContent-Type: application/json\r\n\
    Access-Control-Allow-Origin: *\r\nAccess-Control-Expose-Headers: Retry-After\r\n\
    Content-Length: 92\r\n\r\n\
    {\"errorCode\":\"GENERAL\",\"errorDetails\":\"there are too many requests at once: try again soon\"}";

/// The body of [`BUSY`].
pub const BUSY_BODY: &[u8] = BUSY.split_at(BUSY.len() - 92).1;

/// What came to a port for TLS is not TLS.
pub const USE_TLS: &[u8] = b"HTTP/1.1 400 Bad Request\r\n\
    Connection: close\r\nContent-Type: text/plain\r\nContent-Length: 49\r\n\r\n\
    This port speaks TLS alone: use https:// or wss:\n";

const OTHER_VERSION: &[u8] = b"HTTP/1.1 426 Upgrade Required\r\n\
    Sec-WebSocket-Version: 13\r\nConnection: close\r\nContent-Length: 0\r\n\r\n";

const NO_KEY: &[u8] = b"HTTP/1.1 400 Bad Request\r\n\
    Connection: close\r\nContent-Length: 0\r\n\r\n";

/// The whole `101` for a `Sec-WebSocket-Key`, with the extension that was agreed to.
pub fn switching_protocols(key: &[u8], extension: Option<&str>, out: &mut Vec<u8>) {
    let hash = Sha1::new()
        .chain_update(key)
        .chain_update(WEBSOCKET_GUID)
        .finalize();
    let mut accept = [0; 28];
    // 20 bytes are 28 characters of base64, always.
    let _ = STANDARD.encode_slice(hash, &mut accept);
    out.extend_from_slice(
        b"HTTP/1.1 101 Switching Protocols\r\n\
          Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ",
    );
    out.extend_from_slice(&accept);
    if let Some(extension) = extension {
        out.extend_from_slice(b"\r\nSec-WebSocket-Extensions: ");
        out.extend_from_slice(extension.as_bytes());
    }
    out.extend_from_slice(b"\r\n\r\n");
}

/// What to say to an upgrade that cannot be made.
pub fn bad_upgrade(why: BadUpgrade) -> &'static [u8] {
    match why {
        BadUpgrade::Version => OTHER_VERSION,
        BadUpgrade::Key => NO_KEY,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::{BUSY, BUSY_BODY};

    #[test]
    fn who_is_refused_is_told_why_in_json() {
        let head = std::str::from_utf8(&BUSY[..BUSY.len() - BUSY_BODY.len()]).unwrap();
        assert!(head.ends_with("\r\n\r\n"));
        let length = format!("\r\nContent-Length: {}\r\n", BUSY_BODY.len());
        assert!(head.contains(&length), "{head}");
        let body: Value = serde_json::from_slice(BUSY_BODY).unwrap();
        assert_eq!(body["errorCode"], "GENERAL");
    }
}
