//! Records of TLS 1.3 as no library makes them.

use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;

use ring::aead::{
    AES_128_GCM, AES_256_GCM, Aad, CHACHA20_POLY1305, LessSafeKey, Nonce, UnboundKey,
};
use rustls::ConnectionTrafficSecrets as Secrets;

/// What a record's content is: of the program's, not of TLS itself.
const APPLICATION: u8 = 23;

/// A connection on which records are made by hand.
pub(crate) struct Records {
    stream: TcpStream,
    key: LessSafeKey,
    /// What each record's nonce is made of, with its number.
    base: Vec<u8>,
    number: u64,
}

impl Records {
    /// Goes on from the next record's number and what records are encrypted with.
    pub(super) fn new(stream: TcpStream, (number, secrets): (u64, Secrets)) -> Self {
        let (algorithm, key, base) = match secrets {
            Secrets::Aes128Gcm { key, iv } => (&AES_128_GCM, key, iv),
            Secrets::Aes256Gcm { key, iv } => (&AES_256_GCM, key, iv),
            Secrets::Chacha20Poly1305 { key, iv } => (&CHACHA20_POLY1305, key, iv),
            _ => panic!("records of a kind that is not known here"),
        };
        let key = UnboundKey::new(algorithm, key.as_ref()).unwrap();
        Self {
            stream,
            key: LessSafeKey::new(key),
            base: base.as_ref().to_vec(),
            number,
        }
    }

    /// The next record, with this content.
    pub(crate) fn seal(&mut self, content: &[u8]) -> Vec<u8> {
        let mut nonce: [u8; 12] = self.base.as_slice().try_into().unwrap();
        for (byte, of) in nonce[4..].iter_mut().zip(self.number.to_be_bytes()) {
            *byte ^= of;
        }
        self.number += 1;
        let mut sealed = content.to_vec();
        sealed.push(APPLICATION);
        let length = (sealed.len() + self.key.algorithm().tag_len()) as u16;
        let mut record = vec![APPLICATION, 3, 3];
        record.extend(length.to_be_bytes());
        let nonce = Nonce::assume_unique_for_key(nonce);
        let head = Aad::from(&record);
        self.key
            .seal_in_place_append_tag(nonce, head, &mut sealed)
            .unwrap();
        record.extend(sealed);
        record
    }

    /// Sends them; false where the other end has ended the connection.
    pub(crate) fn send(&mut self, records: &[u8]) -> bool {
        match self.stream.write_all(records) {
            Ok(()) => true,
            Err(error) => {
                let ended = [ErrorKind::BrokenPipe, ErrorKind::ConnectionReset];
                assert!(ended.contains(&error.kind()), "{error}");
                false
            }
        }
    }

    /// The kind of the next record that comes.
    pub(crate) fn next_kind(&mut self) -> u8 {
        let mut kind = [0];
        self.stream.read_exact(&mut kind).unwrap();
        kind[0]
    }
}
