use super::*;

static BUILT: &[(&str, &[u8])] = &[
    ("assets/main-1.js.br", b"brotli"),
    ("assets/main-1.js.gz", b"gzip"),
    ("assets/sans-1.woff2", b"font"),
    (
        "index.html",
        b"<meta nonce=\"BURGEE_NONCE\"><script nonce=\"BURGEE_NONCE\">",
    ),
    ("mark.svg.gz", b"mark"),
];

async fn get(portal: &Portal, path: &str, accept: &str) -> (StatusCode, HeaderMap, String) {
    asked(portal, &Method::GET, path, accept).await
}

async fn asked(
    portal: &Portal,
    method: &Method,
    path: &str,
    accept: &str,
) -> (StatusCode, HeaderMap, String) {
    let mut headers = HeaderMap::new();
    headers.insert(header::ACCEPT_ENCODING, accept.parse().unwrap());
    let answer = portal.answer(method, &path.parse().unwrap(), &headers);
    let (parts, body) = answer.into_parts();
    let body = axum::body::to_bytes(body, 65_536).await.unwrap();
    (
        parts.status,
        parts.headers,
        String::from_utf8(body.to_vec()).unwrap(),
    )
}

#[tokio::test]
async fn files_go_out_packed_and_are_kept_for_ever() {
    let portal = Portal::new(BUILT);
    let (status, headers, body) = get(&portal, "/assets/main-1.js", "gzip, br").await;
    assert_eq!((status, body.as_str()), (StatusCode::OK, "brotli"));
    assert_eq!(headers["content-encoding"], "br");
    assert_eq!(headers["content-type"], "text/javascript; charset=utf-8");
    assert_eq!(
        headers["cache-control"],
        "public, max-age=31536000, immutable"
    );
    assert_eq!(headers["vary"], "accept-encoding");
    for accept in ["gzip", "gzip, br;q=0", "gzip, br; q=0.0", ""] {
        let (_, headers, body) = get(&portal, "/assets/main-1.js", accept).await;
        assert_eq!(
            (&headers["content-encoding"], body.as_str()),
            (&HeaderValue::from_static("gzip"), "gzip"),
            "{accept}"
        );
    }
    let (_, headers, body) = get(&portal, "/assets/sans-1.woff2", "gzip, br").await;
    assert!(!headers.contains_key("content-encoding"));
    assert_eq!(
        (&headers["content-type"], body.as_str()),
        (&HeaderValue::from_static("font/woff2"), "font")
    );
    let (_, headers, _) = get(&portal, "/mark.svg", "gzip").await;
    assert_eq!(headers["cache-control"], "no-cache");
}

#[tokio::test]
async fn every_address_of_the_portal_is_the_page_with_a_nonce_of_its_own() {
    let portal = Portal::new(BUILT);
    let mut nonces = Vec::new();
    for path in [
        "/",
        "/acme/web/flags/new-cart/prod",
        "/apiary",
        "/index.html",
    ] {
        let (status, headers, body) = get(&portal, path, "br").await;
        assert_eq!(status, StatusCode::OK, "{path}");
        let policy = headers["content-security-policy"].to_str().unwrap();
        let nonce = policy
            .split("'nonce-")
            .nth(1)
            .unwrap()
            .split('\'')
            .next()
            .unwrap();
        assert_eq!(
            body,
            format!("<meta nonce=\"{nonce}\"><script nonce=\"{nonce}\">")
        );
        assert!(
            policy.contains("script-src 'self';") && !policy.contains("unsafe"),
            "{policy}"
        );
        assert_eq!(headers["cache-control"], "no-store");
        nonces.push(nonce.to_owned());
    }
    nonces.sort();
    nonces.dedup();
    assert_eq!(nonces.len(), 4);
}

#[tokio::test]
async fn what_programs_ask_for_is_never_the_page() {
    let portal = Portal::new(BUILT);
    for path in [
        "/api",
        "/api/v2/flags",
        "/streaming/x",
        "/ofrep/v9",
        "/health/x",
        "/assets/main-0.js",
    ] {
        let (status, headers, _) = get(&portal, path, "br").await;
        assert_eq!(status, StatusCode::NOT_FOUND, "{path}");
        assert_eq!(
            headers["content-type"], "application/problem+json",
            "{path}"
        );
    }
    let (status, ..) = asked(&portal, &Method::POST, "/acme/web/flags", "br").await;
    assert_eq!(status, StatusCode::NOT_FOUND);
    let (status, ..) = asked(&portal, &Method::HEAD, "/acme/web/flags", "br").await;
    assert_eq!(status, StatusCode::OK);
}

#[tokio::test]
async fn a_build_without_the_portal_says_so() {
    let (status, _, body) = get(&Portal::new(&[]), "/", "br").await;
    assert_eq!(status, StatusCode::NOT_FOUND);
    assert!(body.contains("make serve"), "{body}");
}
