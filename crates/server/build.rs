//! Lists the files of the portal, where it was built (`npm run build` in `portal/`), for
//! `src/portal.rs` to hold in the binary. Where it was not, the list is empty: the server builds,
//! and is tested, without Node.
//!
//! The files are copied first: the portal may be built again while the server compiles.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let dist = PathBuf::from(env::var("CARGO_MANIFEST_DIR").unwrap_or_default())
        .join("../../portal/dist")
        .canonicalize()?;
    // The folder is always there, so that cargo need not look anew each time. By its place in this
    // clone: where several share a target folder, another one's portal says nothing about this one's.
    println!("cargo::rerun-if-changed=../../portal/dist");
    println!("cargo::rerun-if-env-changed=BURGEE_CLONE");
    let packed = dist.join("packed");
    let out = PathBuf::from(env::var("OUT_DIR").unwrap_or_default());
    let copies = out.join("portal");
    if copies.is_dir() {
        fs::remove_dir_all(&copies)?;
    }
    let mut names = Vec::new();
    if packed.is_dir() {
        copy(&packed, &copies, &mut names)?;
    }
    names.sort();
    let mut list = String::from("&[\n");
    for copied in &names {
        let name = copied.strip_prefix(&copies).unwrap_or(copied);
        let name = name.to_string_lossy().replace('\\', "/");
        let _ = writeln!(list, "    ({name:?}, include_bytes!({copied:?})),");
    }
    list.push_str("]\n");
    fs::write(out.join("portal_files.rs"), list)
}

/// Copies a folder; `copied` gets the paths of the copies.
fn copy(from: &Path, to: &Path, copied: &mut Vec<PathBuf>) -> io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy(&entry.path(), &target, copied)?;
        } else {
            fs::copy(entry.path(), &target)?;
            copied.push(target);
        }
    }
    Ok(())
}
