//! The token that SDKs put into the streaming URL in place of their secret.
//!
//! It hides nothing: the secret is cut in two and a moment is written into the cut. What it gives
//! is that a URL from a log is of no use half a minute later. Layout (protocol §1):
//! `number(cut, 3) number(digits, 2) secret[..cut] number(ms, digits) secret[cut..]`, where the
//! secret has lost its trailing `=` and digits are written in an alphabet of their own.

/// A token is refused when its moment is further than this from the server's clock, either way.
pub const TOLERANCE_MS: i64 = 30_000;

/// The length of a secret, padding included.
pub const SECRET_LEN: usize = 44;

/// More digits than a moment will ever have; more would overflow the number.
const MAX_DIGITS: usize = 18;

/// What a token holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    /// The environment's secret, not looked up yet.
    pub secret: Secret,
    /// When the SDK made the token, in ms since 1970, by its clock.
    pub at: i64,
}

/// A text of the form of a secret: 44 visible ASCII characters.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Secret([u8; SECRET_LEN]);

impl Secret {
    /// As text.
    pub fn as_str(&self) -> &str {
        // Only visible ASCII gets in.
        std::str::from_utf8(&self.0).unwrap_or_default()
    }
}

/// Secrets do not belong into logs.
impl std::fmt::Debug for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Secret(…)")
    }
}

/// Why a token is no good.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// Not of the layout, or no secret of 44 characters in it.
    #[error("the token is malformed")]
    Malformed,
    /// Made too long ago, or in the future.
    #[error("the token's moment is too far from the server's clock")]
    Expired,
}

/// Reads a token and checks its moment against `now` (ms since 1970).
pub fn verify(token: &[u8], now: i64) -> Result<Secret, Refused> {
    let token = decode(token).ok_or(Refused::Malformed)?;
    match now.checked_sub(token.at) {
        Some(age) if age.abs() <= TOLERANCE_MS => Ok(token.secret),
        _ => Err(Refused::Expired),
    }
}

/// Reads a token; `None` where it does not have the layout.
pub fn decode(token: &[u8]) -> Option<Token> {
    let (head, text) = token.split_at_checked(5)?;
    let cut = usize::try_from(number(&head[..3])?).ok()?;
    let digits = usize::try_from(number(&head[3..])?).ok()?;
    if digits == 0 || digits > MAX_DIGITS {
        return None;
    }
    let (front, rest) = text.split_at_checked(cut)?;
    let (moment, back) = rest.split_at_checked(digits)?;
    Some(Token {
        secret: join(front, back)?,
        at: number(moment)?,
    })
}

/// The two halves of a secret, with the padding that SDKs cut off.
fn join(front: &[u8], back: &[u8]) -> Option<Secret> {
    let len = front.len() + back.len();
    if len.next_multiple_of(4) != SECRET_LEN {
        return None;
    }
    let mut secret = [b'='; SECRET_LEN];
    secret[..front.len()].copy_from_slice(front);
    secret[front.len()..len].copy_from_slice(back);
    secret
        .iter()
        .all(u8::is_ascii_graphic)
        .then_some(Secret(secret))
}

/// A decimal number whose digits are written in the tokens' alphabet.
fn number(text: &[u8]) -> Option<i64> {
    text.iter().try_fold(0, |number, letter| {
        let digit = match letter {
            b'Q' => 0,
            b'B' => 1,
            b'W' => 2,
            b'S' => 3,
            b'P' => 4,
            b'H' => 5,
            b'D' => 6,
            b'X' => 7,
            b'Z' => 8,
            b'U' => 9,
            _ => return None,
        };
        Some(number * 10 + digit)
    })
}
