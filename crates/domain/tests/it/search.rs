//! Finding by a few letters.

use burgee_domain::search::Query;

fn score(typed: &str, key: &str, name: &str) -> Option<u32> {
    Query::new(typed).unwrap().score(key, name)
}

#[test]
fn what_is_typed_is_found_and_the_better_the_earlier() {
    let found = [
        score("new-cart", "new-cart", "x"),
        score("new", "new-cart", "x"),
        score("cart", "new-cart", "x"),
        score("art", "new-cart", "x"),
        score("craft", "new-draft", "x"),
    ];
    let found: Vec<u32> = found.into_iter().map(Option::unwrap).collect();
    assert!(found.is_sorted_by(|a, b| a > b), "{found:?}");
}

#[test]
fn wrong_letters_are_forgiven_in_words_that_are_long_enough() {
    for (typed, key) in [
        ("chekout", "checkout-v2"),
        ("cehckout", "checkout"),
        ("checkkout", "new-checkout"),
        ("recomendatoin", "recommendations"),
        ("paymnt", "newPayment"),
        ("Überweisng", "Überweisung"),
    ] {
        assert!(score(typed, key, "").is_some(), "{typed} {key}");
    }
    for (typed, key) in [
        ("art", "arc"),
        ("cart", "dash"),
        ("chekoot", "checkout"),
        ("pricing", "printer"),
    ] {
        assert_eq!(score(typed, key, ""), None, "{typed} {key}");
    }
}

#[test]
fn every_word_has_to_be_found_in_the_key_or_in_the_name() {
    assert!(score("cart shop", "new-cart", "Shop: basket").is_some());
    assert_eq!(score("cart bonus", "new-cart", "Shop: basket"), None);
    assert!(score("購入", "buy", "新しい購入ボタン").is_some());
    assert!(score("NEW cart", "newCart", "").is_some());
    assert_eq!(Query::new(" \t"), None);
    assert_eq!(Query::new("a longer word").unwrap().longest(), "longer");
    assert!(!Query::new("a b c").unwrap().forgives());
}
