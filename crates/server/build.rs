//! Lists the files of the portal, where it was built (`npm run build` in `portal/`), for
//! `src/portal.rs` to hold in the binary. Where it was not, the list is empty: the server builds,
//! and is tested, without Node.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let dist = PathBuf::from(env::var("CARGO_MANIFEST_DIR").unwrap_or_default())
        .join("../../portal/dist")
        .canonicalize()?;
    // The folder is always there, so that cargo need not look anew each time.
    println!("cargo::rerun-if-changed={}", dist.display());
    let mut files = Vec::new();
    let packed = dist.join("packed");
    if packed.is_dir() {
        walk(&packed, &mut files)?;
    }
    files.sort();
    let mut list = String::from("&[\n");
    for file in &files {
        let name = file.strip_prefix(&packed).unwrap_or(file);
        let name = name.to_string_lossy().replace('\\', "/");
        let _ = writeln!(list, "    ({name:?}, include_bytes!({file:?})),");
    }
    list.push_str("]\n");
    let out = PathBuf::from(env::var("OUT_DIR").unwrap_or_default());
    fs::write(out.join("portal_files.rs"), list)
}

fn walk(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            walk(&path, files)?;
        } else {
            files.push(path);
        }
    }
    Ok(())
}
