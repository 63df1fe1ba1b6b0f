use axum::http::Request;

use super::*;

fn refused(method: &str, headers: &[(&str, &str)]) -> bool {
    let request = headers.iter().fold(
        Request::builder()
            .method(method)
            .header("host", "flags.example"),
        |request, (name, value)| request.header(*name, *value),
    );
    let (parts, ()) = request.body(()).unwrap().into_parts();
    refuse(&parts).is_err()
}

#[test]
fn what_another_site_asks_for_is_refused() {
    assert!(refused("POST", &[("sec-fetch-site", "cross-site")]));
    assert!(refused("DELETE", &[("sec-fetch-site", "same-site")]));
    assert!(refused("POST", &[("origin", "https://evil.example")]));
    assert!(refused("POST", &[("origin", "null")]));
    assert!(refused("PUT", &[("origin", "https://flags.example:8443")]));
}

#[test]
fn what_our_own_pages_and_programs_ask_for_is_not() {
    assert!(!refused("POST", &[("sec-fetch-site", "same-origin")]));
    assert!(!refused("POST", &[("sec-fetch-site", "none")]));
    assert!(!refused("POST", &[("origin", "https://flags.example")]));
    assert!(!refused("POST", &[]));
    assert!(!refused("GET", &[("sec-fetch-site", "cross-site")]));
}
