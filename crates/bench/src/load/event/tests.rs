use std::fs::File;
use std::io::{Error, ErrorKind};

use super::*;

#[test]
fn the_limit_of_open_files_is_named_and_is_not_the_server() {
    for code in [libc::EMFILE, libc::ENFILE] {
        let error = Error::from_raw_os_error(code);
        let told = Failure::connect(&error).to_string();
        assert!(told.contains("open files"), "{told}");
        assert_eq!(told, not_connected(&error));
    }
    let other = File::open("/nowhere").unwrap_err();
    let failure = Failure::connect(&other);
    assert_eq!(failure, Failure::Connect(ErrorKind::NotFound));
    assert_eq!(not_connected(&other), "not connected");
}
