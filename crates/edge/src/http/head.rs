//! What a new connection asks for.

use memchr::memmem;

use super::extensions;

/// A request head is at most this long. Browsers send cookies of up to 4 KiB for each of a few
/// names; common servers and proxies stop between 8 and 32 KiB.
pub const MAX_HEAD: usize = 16 * 1024;

/// More headers than this are not ours to read; the HTTP server next door has its own limit.
const MAX_HEADERS: usize = 64;

/// What the first bytes of a connection are.
#[derive(Debug, PartialEq, Eq)]
pub enum Head<'a> {
    /// The end of the head has not come yet.
    Partial,
    /// No end within [`MAX_HEAD`] bytes.
    TooLong,
    /// Anything but a WebSocket upgrade of `/streaming`, sound or not.
    Other,
    /// A WebSocket upgrade of `/streaming`.
    Streaming(Upgrade<'a>),
}

/// A WebSocket upgrade of `/streaming`.
#[derive(Debug, PartialEq, Eq)]
pub struct Upgrade<'a> {
    /// Length of the head; what follows are frames.
    pub len: usize,
    /// The query, without its `?`.
    pub query: &'a str,
    /// `Sec-WebSocket-Key`, and that `Sec-WebSocket-Version` is 13; otherwise what to answer.
    pub key: Result<&'a [u8], BadUpgrade>,
    /// What to answer to the offer of `permessage-deflate` that can be met, if there is one.
    pub deflate: Option<&'static str>,
    /// `X-User-Agent`, or else `User-Agent`, where it is readable.
    pub agent: Option<&'a str>,
}

/// An upgrade that cannot be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BadUpgrade {
    /// Another version of the WebSocket protocol than 13.
    Version,
    /// No `Sec-WebSocket-Key` that could be one.
    Key,
}

/// Reads the head at the start of `input`.
pub fn parse(input: &[u8]) -> Head<'_> {
    // Looking for the end first keeps a client that dribbles its head cheap: it is parsed once.
    if !has_end(input) {
        return partial(input);
    }
    let mut headers = [httparse::EMPTY_HEADER; MAX_HEADERS];
    let mut request = httparse::Request::new(&mut headers);
    let len = match request.parse(input) {
        Ok(httparse::Status::Complete(len)) if len <= MAX_HEAD => len,
        Ok(httparse::Status::Complete(_)) => return Head::TooLong,
        // Nobody who is handed over leaves his head open.
        Ok(httparse::Status::Partial) => return partial(input),
        Err(_) => return Head::Other,
    };
    let Some(query) = streaming_query(&request) else {
        return Head::Other;
    };
    if !asks_for_websocket(request.headers) {
        return Head::Other;
    }
    Head::Streaming(Upgrade {
        len,
        query,
        key: websocket_key(request.headers),
        deflate: extensions::agree(values(request.headers, "sec-websocket-extensions")),
        agent: agent(request.headers),
    })
}

/// What is to be said of a head that has not come whole.
fn partial(input: &[u8]) -> Head<'static> {
    match input.len() {
        0..=MAX_HEAD => Head::Partial,
        _ => Head::TooLong,
    }
}

/// Whether a blank line is there, behind those that may come before a head (RFC 9112, 2.2). Lines
/// may end in a bare line feed, as for httparse.
fn has_end(input: &[u8]) -> bool {
    let begin = input.iter().position(|byte| !b"\r\n".contains(byte));
    let input = &input[begin.unwrap_or(input.len())..];
    memmem::find(input, b"\n\r\n").is_some() || memmem::find(input, b"\n\n").is_some()
}

/// The query of a `GET /streaming`.
fn streaming_query<'a>(request: &httparse::Request<'_, 'a>) -> Option<&'a str> {
    if request.method != Some("GET") {
        return None;
    }
    let target = request.path?;
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let path = path.strip_suffix('/').unwrap_or(path);
    path.eq_ignore_ascii_case("/streaming").then_some(query)
}

/// Whether `Upgrade` and `Connection` say WebSocket. The value counts: one SDK offers h2c on
/// every request, which is ordinary HTTP to us.
fn asks_for_websocket(headers: &[httparse::Header<'_>]) -> bool {
    lists(headers, "upgrade", b"websocket") && lists(headers, "connection", b"upgrade")
}

/// Whether a header's comma-separated values have one, without regard to case.
fn lists(headers: &[httparse::Header<'_>], name: &str, wanted: &[u8]) -> bool {
    values(headers, name).any(|value| {
        value
            .split(|byte| *byte == b',')
            .any(|item| item.trim_ascii().eq_ignore_ascii_case(wanted))
    })
}

fn websocket_key<'a>(headers: &[httparse::Header<'a>]) -> Result<&'a [u8], BadUpgrade> {
    let version = values(headers, "sec-websocket-version").next();
    if version.map(<[u8]>::trim_ascii) != Some(b"13") {
        return Err(BadUpgrade::Version);
    }
    // 16 bytes in base64.
    values(headers, "sec-websocket-key")
        .next()
        .map(<[u8]>::trim_ascii)
        .filter(|key| key.len() == 24)
        .ok_or(BadUpgrade::Key)
}

/// What it says that it is. SDKs whose HTTP client has a name of its own use the first header.
fn agent<'a>(headers: &[httparse::Header<'a>]) -> Option<&'a str> {
    let own = values(headers, "x-user-agent");
    let mut said = own.chain(values(headers, "user-agent"));
    let said = said.find(|value| !value.trim_ascii().is_empty())?;
    std::str::from_utf8(said).ok()
}

fn values<'h, 'a>(
    headers: &'h [httparse::Header<'a>],
    name: &'h str,
) -> impl Iterator<Item = &'a [u8]> + 'h {
    headers
        .iter()
        .filter(move |header| header.name.eq_ignore_ascii_case(name))
        .map(|header| header.value)
}
