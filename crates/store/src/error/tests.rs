use std::io::{Error, ErrorKind};

use super::{StoreError, of_commit};

#[test]
fn a_commit_whose_answer_was_lost_may_have_been_applied() {
    let lost = sqlx::Error::Io(Error::from(ErrorKind::ConnectionReset));
    assert!(matches!(of_commit(lost), StoreError::Unknown(_)));
}

#[test]
fn any_other_statement_that_was_cut_off_changed_nothing() {
    let lost = sqlx::Error::Io(Error::from(ErrorKind::ConnectionReset));
    assert!(matches!(lost.into(), StoreError::Unavailable(_)));
}

#[test]
fn a_connection_that_ends_in_its_first_words_may_be_tried_again() {
    let lost = sqlx::Error::Protocol("unexpected response from SSLRequest: 0x00".to_owned());
    assert!(matches!(lost.into(), StoreError::Unavailable(_)));
}
