//! The drill: a backup of PostgreSQL, a wreck, and the backup put back, under programs that know of what
//! came after it. (That of the embedded database: [`crate::backup`].)

use std::process::Command;

use burgee_testkit::cluster::Cluster;
use burgee_testkit::cluster::verdict::Loss;

use super::{PAUSE, plan};

fn run(mut command: Command, arguments: &[&str]) {
    let done = command.args(arguments).output().unwrap();
    let said = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success(), "{command:?}: {said}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_backup_of_postgresql_is_put_back_and_all_agree_on_it() {
    let mut cluster = Cluster::start(plan(2, 1)).await;
    let watchers = cluster.watch(1);
    let mut writing = cluster.write(1, PAUSE);
    writing.acknowledged(20).await;
    writing.end().await;
    let folder = tempfile::tempdir().unwrap();
    let copy = folder.path().join("copy");
    let copy = copy.to_str().unwrap();
    let name = cluster.database.split_once('?').unwrap().0;
    let name = name.rsplit_once('/').unwrap().1.to_owned();
    let tool = |cluster: &mut Cluster, name: &str| cluster.postgres().tool(name).unwrap();
    run(
        tool(&mut cluster, "pg_dump"),
        &["--format=custom", "--file", copy, &name],
    );

    let mut writing = cluster.write(1_000_000, PAUSE);
    writing.acknowledged(20).await;
    writing.end().await;
    for server in &mut cluster.servers {
        server.stop();
    }
    run(tool(&mut cluster, "dropdb"), &["--force", &name]);
    run(tool(&mut cluster, "createdb"), &[&name]);
    run(
        tool(&mut cluster, "pg_restore"),
        &["--dbname", &name, "--exit-on-error", copy],
    );
    for server in &mut cluster.servers {
        server.start().await;
    }
    let lost = cluster.ledger.strike_lost(&cluster.api(0)).await;
    assert!(lost >= 20, "{lost} were lost");
    let mut writing = cluster.write(2_000_000, PAUSE);
    writing.well_again().await;
    writing.end().await;
    cluster.verdict(watchers, Loss::OfTheDatabase).await;
}
