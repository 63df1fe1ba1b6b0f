use super::{Request, read};
use crate::api::ofrep::Question;

const ALL: &str = "/ofrep/v1/evaluate/flags";

fn request(line: &str, headers: &str, body: &str) -> String {
    format!("{line}\r\n{headers}\r\n{body}")
}

fn post(path: &str, headers: &str) -> String {
    let headers = format!("Host: h\r\nContent-Length: 2\r\n{headers}");
    request(&format!("POST {path} HTTP/1.1"), &headers, "{}")
}

#[test]
fn a_plain_request_is_read_and_what_comes_behind_it_is_left() {
    let headers = "AUTHORIZATION: Bearer k\r\nX-Api-Key: a\r\ncontent-type: application/json\r\n\
        If-None-Match: \"t\"\r\nConnection: Keep-Alive\r\nUser-Agent: p\r\n";
    let asked = post(&format!("{ALL}/a%2Fb"), headers);
    let question = Question {
        path: "/ofrep/v1/evaluate/flags/a%2Fb",
        authorization: Some("Bearer k"),
        key: Some("a"),
        content_type: Some("application/json"),
        has: Some("\"t\""),
        body: b"{}",
    };
    let twice = format!("{asked}{asked}");
    assert_eq!(
        read(twice.as_bytes()),
        Request::Asked(question, asked.len())
    );
}

#[test]
fn whatever_is_not_all_there_is_waited_for() {
    let asked = post(ALL, "");
    for length in 0..asked.len() {
        assert_eq!(
            read(&asked.as_bytes()[..length]),
            Request::Partial,
            "{length}"
        );
    }
    assert!(matches!(read(asked.as_bytes()), Request::Asked(_, _)));
}

#[test]
fn whatever_is_not_plain_is_another() {
    for header in [
        "Transfer-Encoding: chunked",
        "transfer-encoding: identity",
        "Expect: 100-continue",
        "Upgrade: h2c",
        "Connection: close",
        "Connection: keep-alive, upgrade",
        "Content-Length: 2",
        "Authorization: a\r\nAuthorization: b",
        "If-None-Match: a\r\nIf-None-Match: b",
        "Authorization: \u{e9}",
    ] {
        let asked = post(ALL, &format!("{header}\r\n"));
        assert_eq!(read(asked.as_bytes()), Request::Other, "{header}");
    }
    for length in [
        "+2",
        "-2",
        "0x2",
        "2, 2",
        "",
        "99999",
        "18446744073709551618",
    ] {
        let asked = request(
            &format!("POST {ALL} HTTP/1.1"),
            &format!("Content-Length: {length}\r\n"),
            "{}",
        );
        assert_eq!(read(asked.as_bytes()), Request::Other, "{length}");
    }
    for line in [
        format!("GET {ALL} HTTP/1.1"),
        format!("POST {ALL} HTTP/1.0"),
        format!("POST {ALL}?flagConfigEtag=1 HTTP/1.1"),
        format!("POST {ALL}#x HTTP/1.1"),
        format!("POST {ALL}er HTTP/1.1"),
        format!("POST http://h{ALL} HTTP/1.1"),
        "POST /ofrep/v1/evaluate HTTP/1.1".to_owned(),
        "PRI * HTTP/2.0".to_owned(),
        format!("POST  {ALL} HTTP/1.1"),
    ] {
        let asked = request(&line, "Content-Length: 2\r\n", "{}");
        assert_eq!(read(asked.as_bytes()), Request::Other, "{line}");
    }
    assert_eq!(
        read(request(&format!("POST {ALL} HTTP/1.1"), "Host: h\r\n", "").as_bytes()),
        Request::Other,
        "without a length"
    );
}
