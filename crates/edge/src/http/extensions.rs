//! `Sec-WebSocket-Extensions`: what a client offers, and what of it is taken (RFC 6455 §9.1,
//! RFC 7692 §7.1).
//!
//! The only extension is `permessage-deflate`, and only so that no message refers to one before:
//! what would be kept for that, per connection, is a hundred times what a connection costs here.

/// The answer to the first offer that can be met; `None` where there is none. `values` are those
/// of the header, of which there may be several; one that cannot be read offers nothing.
pub fn agree<'a>(values: impl Iterator<Item = &'a [u8]>) -> Option<&'static str> {
    values.into_iter().find_map(agree_to_one)
}

/// Either side forgets each message after it. A client has to be able to (RFC 7692 §7.1.1.2).
const AGREED: &str = "permessage-deflate; server_no_context_takeover; client_no_context_takeover";

/// The same for a client that named the window, which has to be answered then.
const AGREED_TO_WINDOW: &str = "permessage-deflate; server_no_context_takeover; \
     client_no_context_takeover; server_max_window_bits=15";

fn agree_to_one(value: &[u8]) -> Option<&'static str> {
    let mut input = Input(std::str::from_utf8(value).ok()?);
    let mut agreed = None;
    loop {
        // A list may have empty elements.
        if !input.skip(',') {
            let offer = Offer::read(&mut input)?;
            agreed = agreed.or(offer.answer());
            if !input.is_over() && !input.skip(',') {
                return None;
            }
        }
        if input.is_over() {
            return agreed;
        }
    }
}

/// One extension with its parameters.
struct Offer {
    /// Every parameter is known and has a value that it may have.
    is_sound: bool,
    server_window: Option<u8>,
}

impl Offer {
    /// Reads one; `None` where it is against the grammar.
    fn read(input: &mut Input<'_>) -> Option<Self> {
        let name = input.token()?;
        let mut offer = Self {
            is_sound: name.eq_ignore_ascii_case("permessage-deflate"),
            server_window: None,
        };
        let mut seen = [false; 4];
        while input.skip(';') {
            let name = input.token()?;
            let value = match input.skip('=') {
                true => Some(input.value()?),
                false => None,
            };
            offer.is_sound &= offer.take(name, value, &mut seen).is_some();
        }
        Some(offer)
    }

    /// Takes a parameter; `None` where an offer that has it is declined (RFC 7692 §7.1).
    fn take(&mut self, name: &str, value: Option<&str>, seen: &mut [bool; 4]) -> Option<()> {
        let known = match name.to_ascii_lowercase().as_str() {
            "server_no_context_takeover" => 0,
            "client_no_context_takeover" => 1,
            "server_max_window_bits" => 2,
            "client_max_window_bits" => 3,
            _ => return None,
        };
        if std::mem::replace(&mut seen[known], true) {
            return None;
        }
        match (known, value) {
            (0 | 1 | 3, None) => {}
            // Whatever window a client wants to use, we read all.
            (3, Some(bits)) => _ = window(bits)?,
            (2, Some(bits)) => self.server_window = Some(window(bits)?),
            _ => return None,
        }
        Some(())
    }

    fn answer(&self) -> Option<&'static str> {
        match self.server_window {
            _ if !self.is_sound => None,
            None => Some(AGREED),
            Some(15) => Some(AGREED_TO_WINDOW),
            // What is shared is made once, with the largest window.
            Some(_) => None,
        }
    }
}

/// A window's size: 8 to 15, without leading zeros.
fn window(bits: &str) -> Option<u8> {
    let window = bits.parse().ok().filter(|bits| (8..=15).contains(bits))?;
    (!bits.starts_with(['0', '+'])).then_some(window)
}

/// What is left of a header's value.
struct Input<'a>(&'a str);

impl<'a> Input<'a> {
    fn skip_blanks(&mut self) {
        self.0 = self.0.trim_start_matches([' ', '\t']);
    }

    /// Whether nothing but blanks is left.
    fn is_over(&mut self) -> bool {
        self.skip_blanks();
        self.0.is_empty()
    }

    /// Passes a character, with blanks before it, if it is next.
    fn skip(&mut self, wanted: char) -> bool {
        self.skip_blanks();
        let rest = self.0.strip_prefix(wanted);
        self.0 = rest.unwrap_or(self.0);
        rest.is_some()
    }

    fn token(&mut self) -> Option<&'a str> {
        self.skip_blanks();
        let end = self.0.find(|c| !is_token(c)).unwrap_or(self.0.len());
        let (token, rest) = self.0.split_at(end);
        self.0 = rest;
        (!token.is_empty()).then_some(token)
    }

    /// A token, perhaps in quotes. An escape within quotes stands for a character that would need
    /// none, and no value that is known here has one.
    fn value(&mut self) -> Option<&'a str> {
        if !self.skip('"') {
            return self.token();
        }
        let (quoted, rest) = self.0.split_once('"')?;
        self.0 = rest;
        let is_token = !quoted.is_empty() && quoted.chars().all(is_token);
        is_token.then_some(quoted)
    }
}

/// Whether a token may have this character (RFC 9110 §5.6.2).
fn is_token(character: char) -> bool {
    character.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(character)
}
