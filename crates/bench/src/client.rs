//! A client SDK's side of the streaming protocol, as little of it as measuring needs.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use anyhow::{Context, bail, ensure};

/// An SDK that hears nothing for so long gives up.
const PATIENCE: Duration = Duration::from_secs(30);

/// Connects and upgrades with a client key.
pub fn connect(address: SocketAddr, secret: &str) -> anyhow::Result<TcpStream> {
    let mut stream = TcpStream::connect(address).context("connect")?;
    stream.set_nodelay(true)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    let token = token(secret, now());
    let request = format!(
        "GET /streaming?type=client&token={token} HTTP/1.1\r\nHost: {address}\r\n\
         Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n\
         Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
    );
    stream.write_all(request.as_bytes())?;
    let head = read_head(&mut stream)?;
    ensure!(head.starts_with("HTTP/1.1 101"), "not upgraded: {head}");
    Ok(stream)
}

fn read_head(stream: &mut TcpStream) -> anyhow::Result<String> {
    // Byte by byte: what follows the head belongs to the first frame.
    let mut head = Vec::new();
    let mut byte = [0];
    while !head.ends_with(b"\r\n\r\n") {
        ensure!(
            stream.read(&mut byte)? == 1 && head.len() < 4096,
            "no answer to the upgrade"
        );
        head.push(byte[0]);
    }
    Ok(String::from_utf8(head)?)
}

/// Sends `data-sync` for the user `user-<number>`, who has three properties.
pub fn send_sync(stream: &mut TcpStream, number: usize) -> anyhow::Result<()> {
    let user = serde_json::json!({
        "keyId": format!("user-{number}"),
        "name": format!("User {number}"),
        "customizedProperties": [
            { "name": "country", "value": "de" },
            { "name": "age", "value": (number % 90).to_string() },
            { "name": "plan", "value": "enterprise" },
        ],
    });
    let message = serde_json::json!({
        "messageType": "data-sync", "data": { "user": user, "timestamp": 0 },
    });
    send(stream, &message.to_string())
}

/// Sends a text frame, masked as clients must.
pub fn send(stream: &mut TcpStream, text: &str) -> anyhow::Result<()> {
    let length = u16::try_from(text.len())?;
    let mask = [0x12, 0x34, 0x56, 0x78];
    let mut frame = vec![0x81];
    if length < 126 {
        frame.push(0x80 | length as u8);
    } else {
        frame.push(0x80 | 126);
        frame.extend(length.to_be_bytes());
    }
    frame.extend(mask);
    frame.extend(
        text.bytes()
            .zip(mask.iter().cycle())
            .map(|(byte, mask)| byte ^ mask),
    );
    stream.write_all(&frame)?;
    Ok(())
}

/// Reads one whole text frame.
pub fn receive(stream: &mut impl Read) -> anyhow::Result<Vec<u8>> {
    let mut head = [0; 2];
    stream.read_exact(&mut head)?;
    let length = match head[1] {
        126 => {
            let mut length = [0; 2];
            stream.read_exact(&mut length)?;
            u64::from(u16::from_be_bytes(length))
        }
        127 => {
            let mut length = [0; 8];
            stream.read_exact(&mut length)?;
            u64::from_be_bytes(length)
        }
        short => u64::from(short),
    };
    let mut payload = vec![0; usize::try_from(length)?];
    stream.read_exact(&mut payload)?;
    match head[0] {
        0x81 => Ok(payload),
        0x88 => bail!("closed with {:?}", payload.get(..2)),
        other => bail!("an unexpected frame {other:#x}"),
    }
}

/// The connection token around a secret, as SDKs make it.
pub fn token(secret: &str, now_ms: u128) -> String {
    let number = |value: u128, width: usize| -> String {
        let digits = format!("{value:0width$}");
        digits
            .bytes()
            .map(|digit| b"QBWSPHDXZU"[usize::from(digit - b'0')] as char)
            .collect()
    };
    let secret = secret.trim_end_matches('=');
    let (front, back) = secret.split_at(secret.len() / 2);
    let time = number(now_ms, 1);
    let start = number(front.len() as u128, 3);
    format!(
        "{start}{}{front}{time}{back}",
        number(time.len() as u128, 2)
    )
}

fn now() -> u128 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default()
        .as_millis()
}
