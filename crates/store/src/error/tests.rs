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
