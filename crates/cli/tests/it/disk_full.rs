//! The disk is full: a change is refused clearly and leaves nothing, serving goes on, and all is
//! well when there is room again.

use std::fs::File;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::process::Command;

use burgee_testkit::api::Api;
use burgee_testkit::cluster::ledger::Ledger;
use burgee_testkit::sdk::Sdk;
use serde_json::json;

use crate::kit::{Data, PROGRAM, Program, may_mount, person, unheeding, write};

#[tokio::test(flavor = "multi_thread")]
async fn a_full_disk_stops_changes_and_nothing_else() {
    let (prepared, small) = (Data::folder(), Data::folder());
    // Made where there is room: the program gets a copy.
    let token = prepared.token();
    let (client_key, server_key) = prepared.sdk_keys("prod");
    let disk = Disk::small(&prepared, &small);
    let mut program = Program::start_by(&small, |arguments| disk.command(arguments));
    let api = program.api(&token);
    let ledger = Ledger::open(&api).await;
    let mut client = Sdk::client(program.address, &client_key, &person("0"));
    let mut server = Sdk::server(program.address, &server_key);

    let mut writing = write(&ledger, &api, 0);
    writing.acknowledged(5).await;
    let ballast = disk.fill(&program);
    writing.refused().await;
    api.get("projects").await.expect(200);
    client.settle();
    server.settle();
    let newcomer = Sdk::client(program.address, &client_key, &person("1"));
    assert!(newcomer.value("left-0").is_some());
    let told = Api::new(program.address).with_sdk_key(&client_key);
    let track = json!([{ "user": person("tracked"), "variations": [], "metrics": [] }]);
    let answer = told.post("/api/public/insight/track", &track).await;
    assert_eq!(answer.status, 200, "{answer:?}");

    drop(ballast);
    writing.well_again().await;
    writing.end().await;
    ledger.check(&api, program.address, &prepared.keys()).await;
    let fresh = Sdk::server(program.address, &server_key);
    server.until(|sdk| sdk.flags == fresh.flags);
    let fresh = Sdk::client(program.address, &client_key, &person("0"));
    client.until(|sdk| sdk.flags == fresh.flags);
    program.signal("TERM");
    assert!(program.ended().success(), "{:?}", program.said());
}

/// A disk that a test can fill.
enum Disk {
    /// A filesystem in memory that only the program sees.
    Small { prepared: PathBuf, small: PathBuf },
    /// Where mounting is not allowed: a limit to the size of the program's files.
    Limited { folder: PathBuf },
}

/// Makes the filesystem, takes the prepared data there, and becomes the program.
const MOUNT: &str = r#"mkdir "$2" && mount -t tmpfs -o size=8m,mode=700 burgee "$2" &&
    cp "$1"/* "$2" && shift 2 && exec "$@""#;

impl Disk {
    fn small(prepared: &Data, small: &Data) -> Self {
        let (prepared, small) = (prepared.path(), small.path());
        if may_mount() {
            return Self::Small { prepared, small };
        }
        eprintln!("no filesystem of its own on this machine: a limit in its place");
        std::fs::create_dir(&small).unwrap();
        for file in std::fs::read_dir(&prepared).unwrap().map(Result::unwrap) {
            std::fs::copy(file.path(), small.join(file.file_name())).unwrap();
        }
        Self::Limited { folder: small }
    }

    /// What starts the program.
    fn command(&self, arguments: &[&str]) -> Command {
        match self {
            Self::Small { prepared, small } => {
                let mut command = unheeding("unshare");
                command.args(["-Urm", "/bin/sh", "-c", MOUNT, "sh"]);
                command.args([prepared, small]).arg(PROGRAM).args(arguments);
                command
            }
            Self::Limited { .. } => {
                let mut command = unheeding("/bin/sh");
                // A file at its limit is an error to the program, not its end.
                command.args(["-c", "trap '' XFSZ; exec \"$@\"", "sh", PROGRAM]);
                command.args(arguments);
                command
            }
        }
    }

    /// Takes all the room until the ballast is dropped.
    fn fill(&self, program: &Program) -> Ballast {
        match self {
            Self::Small { small, .. } => {
                let inside = format!("/proc/{}/root{}", program.id(), small.display());
                let path = Path::new(&inside).join("ballast");
                let mut file = File::create(&path).unwrap();
                // Ever smaller pieces, so that nothing is left over.
                for size in [64 * 1024, 4096, 1] {
                    let piece = vec![1; size];
                    let full = loop {
                        if let Err(error) = file.write_all(&piece) {
                            break error;
                        }
                    };
                    assert_eq!(full.kind(), ErrorKind::StorageFull, "{full}");
                }
                Ballast::File(path)
            }
            Self::Limited { folder } => {
                let files = std::fs::read_dir(folder).unwrap().map(Result::unwrap);
                let largest = files.map(|file| file.metadata().unwrap().len()).max();
                limit(program.id(), &largest.unwrap().to_string());
                Ballast::Limit(program.id())
            }
        }
    }
}

/// What takes the room.
enum Ballast {
    File(PathBuf),
    Limit(u32),
}

impl Drop for Ballast {
    fn drop(&mut self) {
        match self {
            Self::File(path) => std::fs::remove_file(path).unwrap(),
            Self::Limit(program) => limit(*program, "unlimited"),
        }
    }
}

/// Sets how large the files of a process may become, in bytes.
fn limit(process: u32, size: &str) {
    let to = format!("--fsize={size}:unlimited");
    let set = Command::new("prlimit")
        .args(["--pid", &process.to_string(), &to])
        .status();
    assert!(set.unwrap().success());
}
