//! Addresses, passwords and waiting.

use burgee_domain::people::{
    Email, FREE_ATTEMPTS, LONGEST_WAIT, MAX_EMAIL, MAX_PASSWORD, check_password, delay,
};

#[test]
fn an_address_is_kept_as_given_and_found_without_regard_to_case() {
    let email = Email::new("  Ann.O'Neil+x@Example.org ").unwrap();
    assert_eq!(email.as_str(), "Ann.O'Neil+x@Example.org");
    assert_eq!(email.folded(), "ann.o'neil+x@example.org");
    assert!(Email::new("owner@localhost").is_ok() && Email::new("jürgen@bücher.example").is_ok());
    for text in ["", "ann", "@x", "ann@", "a b@x", "a@b@c", "a@b\u{0}c"] {
        assert!(Email::new(text).is_err(), "{text:?}");
    }
    let long = format!("{}@x", "a".repeat(MAX_EMAIL));
    assert!(Email::new(&long).is_err());
}

#[test]
fn a_password_is_long_enough_and_not_the_first_that_anybody_would_try() {
    let code = |password: &str| {
        let checked = check_password(password, "annabel@example.org");
        checked.map_err(|rejected| rejected.code)
    };
    assert_eq!(code("correct horse"), Ok(()));
    assert_eq!(code("ÄÖÜßäöüèéê"), Ok(()));
    assert_eq!(code("correct horse, correct horse"), Ok(()));
    assert_eq!(code("qwerty is not all"), Ok(()));
    assert_eq!(code("9 letters"), Err("passwordTooShort".into()));
    assert_eq!(
        code(&"long".repeat(MAX_PASSWORD)),
        Err("passwordTooLong".into())
    );
    for guessable in [
        "Password123",
        "aaaaaaaaaaaa",
        "annabel@example.org",
        "Annabel2026!",
        "passwordpassword",
        "qwertyqwerty",
        "qwertyasdfgh",
        "1q2w3e4r5t",
        "98765432100123",
        "abcdefghijkl",
    ] {
        assert_eq!(
            code(guessable),
            Err("passwordGuessable".into()),
            "{guessable}"
        );
    }
}

#[test]
fn waiting_grows_from_nothing_and_has_an_end() {
    assert!((0..=FREE_ATTEMPTS).all(|failures| delay(failures) == 0));
    assert_eq!(delay(FREE_ATTEMPTS + 1), 1_000);
    assert_eq!(delay(FREE_ATTEMPTS + 4), 8_000);
    assert_eq!(delay(u32::MAX), LONGEST_WAIT);
    assert!((0..100).all(|failures| delay(failures) <= delay(failures + 1)));
}
