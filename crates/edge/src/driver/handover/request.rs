//! Recognises a plain request for evaluation, and reads of it what counts.

use httparse::{EMPTY_HEADER, Header, Status};

use crate::api::ofrep::{Answers, Question};

/// A request that is longer, head and body together, is none.
const LONGEST: usize = 64 * 1024;

const MAX_HEADERS: usize = 32;

/// What all of them begin with.
const BEGIN: &[u8] = b"POST /ofrep/v1/evaluate/flags";

/// What lies at the start of a connection's input.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Request<'a> {
    /// It may become one.
    Partial,
    /// It is not, or not plainly.
    Other,
    /// One of so many bytes.
    Asked(Question<'a>, usize),
}

/// Whether that may be one.
pub(super) fn begins(input: &[u8]) -> bool {
    input.starts_with(BEGIN)
}

/// Reads what lies at the start.
pub(super) fn read(input: &[u8]) -> Request<'_> {
    let mut headers = [EMPTY_HEADER; MAX_HEADERS];
    let mut request = httparse::Request::new(&mut headers);
    let head = match request.parse(input) {
        Ok(Status::Complete(head)) => head,
        Ok(Status::Partial) if input.len() < LONGEST && may_begin(input) => {
            return Request::Partial;
        }
        _ => return Request::Other,
    };
    let path = request.path.filter(|path| is_plain(path));
    let path = path.filter(|path| Answers::know(path));
    let (Some(path), Some("POST"), Some(1)) = (path, request.method, request.version) else {
        return Request::Other;
    };
    let mut question = Question {
        path,
        ..Question::default()
    };
    let length = match take(request.headers, &mut question) {
        Some(length) if length <= LONGEST => head + length,
        _ => return Request::Other,
    };
    match input.get(head..length) {
        None => Request::Partial,
        Some(body) => {
            question.body = body;
            Request::Asked(question, length)
        }
    }
}

fn may_begin(input: &[u8]) -> bool {
    let length = input.len().min(BEGIN.len());
    input[..length] == BEGIN[..length]
}

/// Nothing in it that some would read as something else than a path: no query among them.
fn is_plain(path: &str) -> bool {
    path.bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || b"/-._~%:@!$&'()*+,;=".contains(&byte))
}

/// Takes the headers that count; the length of the body, or nothing where one of them asks for
/// more than an answer.
fn take<'a>(headers: &[Header<'a>], question: &mut Question<'a>) -> Option<usize> {
    let mut length = None;
    for header in headers {
        let is = |name: &str| header.name.eq_ignore_ascii_case(name);
        let place = match header.name.len() {
            9 if is("x-api-key") => &mut question.key,
            12 if is("content-type") => &mut question.content_type,
            13 if is("authorization") => &mut question.authorization,
            13 if is("if-none-match") => &mut question.has,
            14 if is("content-length") => &mut length,
            10 if is("connection") => match header.value.eq_ignore_ascii_case(b"keep-alive") {
                true => continue,
                false => return None,
            },
            6 if is("expect") => return None,
            7 if is("upgrade") => return None,
            17 if is("transfer-encoding") => return None,
            _ => continue,
        };
        if place.replace(text(header.value)?).is_some() {
            return None;
        }
    }
    number(length?)
}

/// A header's value where it is of letters, as http has it.
fn text(value: &[u8]) -> Option<&str> {
    let is_letter = |byte: &u8| matches!(byte, b'\t' | b' '..=b'~');
    let value = value.iter().all(is_letter).then_some(value)?;
    std::str::from_utf8(value).ok()
}

/// A number in digits alone, of so few that it fits.
fn number(text: &str) -> Option<usize> {
    let is_number = text.len() <= 9 && text.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| text.parse().ok())?
}

#[cfg(test)]
mod tests;
