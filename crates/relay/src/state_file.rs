//! Environments in a file: what `burgee export-state` writes, what `burgee relay --state` serves,
//! and what a relay keeps on its disk.
//!
//! The first line names the format. Then comes each environment: the length of its message in four
//! bytes (big-endian), and the message, packed as on the wire; a length of 0 is the end, so that a
//! file that was cut off between two is not taken for a whole one. Keys are in it: it is written for
//! its owner alone.

use std::fs::{File, OpenOptions};
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use crate::message::{MAX_PACKED, Unreadable, Whole, pack, unpack};

/// The first line.
const FORMAT: &[u8] = b"burgee-state-1\n";

/// Why a file cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum BadFile {
    /// The disk says no.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// It does not begin as such a file does.
    #[error("it is no file of environments (its first line is not `burgee-state-1`)")]
    Format,
    /// It ends in the middle of an environment, or says that one is larger than any can be.
    #[error("it is cut off or damaged")]
    CutOff,
    /// An environment in it cannot be read.
    #[error(transparent)]
    Environment(#[from] Unreadable),
}

/// Reads all environments of a file.
///
/// # Errors
/// [`BadFile`].
pub fn read(path: &Path) -> Result<Vec<Whole>, BadFile> {
    let mut file = BufReader::new(File::open(path)?);
    let mut format = [0; FORMAT.len()];
    if file.read_exact(&mut format).is_err() || format != FORMAT {
        return Err(BadFile::Format);
    }
    let mut environments = Vec::new();
    while let Some(packed) = next(&mut file)? {
        environments.push(unpack(&packed)?);
    }
    Ok(environments)
}

/// The next packed environment; none at the end.
fn next(file: &mut impl Read) -> Result<Option<Vec<u8>>, BadFile> {
    let mut length = [0; 4];
    file.read_exact(&mut length).map_err(|_| BadFile::CutOff)?;
    let length = u32::from_be_bytes(length) as usize;
    if length == 0 {
        return Ok(None);
    }
    if length > MAX_PACKED {
        return Err(BadFile::CutOff);
    }
    let mut packed = Vec::new();
    let read = file.take(length as u64).read_to_end(&mut packed)?;
    match read == length {
        true => Ok(Some(packed)),
        false => Err(BadFile::CutOff),
    }
}

/// Writes environments to a file, readable by its owner alone. The file is there whole or as it was
/// before: it is written beside its place, to the disk, and put there by one step.
///
/// # Errors
/// [`BadFile`].
pub fn write<'w>(
    path: &Path,
    environments: impl IntoIterator<Item = &'w Whole>,
) -> Result<(), BadFile> {
    let mut beside = path.as_os_str().to_owned();
    beside.push(".new");
    let beside = Path::new(&beside);
    // One that is left from before may be readable by others, or lead elsewhere.
    match std::fs::remove_file(beside) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error.into()),
        _ => {}
    }
    let mut options = OpenOptions::new();
    options.write(true).create_new(true).mode(0o600);
    let mut file = BufWriter::new(options.open(beside)?);
    file.write_all(FORMAT)?;
    for environment in environments {
        let packed = pack(environment)?;
        let length = u32::try_from(packed.len()).map_err(|_| BadFile::CutOff)?;
        file.write_all(&length.to_be_bytes())?;
        file.write_all(&packed)?;
    }
    file.write_all(&0_u32.to_be_bytes())?;
    let file = file.into_inner().map_err(io::IntoInnerError::into_error)?;
    file.sync_all()?;
    std::fs::rename(beside, path)?;
    sync_folder(path)
}

/// A new name is in the folder for good once the folder is on the disk.
fn sync_folder(path: &Path) -> Result<(), BadFile> {
    let folder = path.parent().filter(|it| !it.as_os_str().is_empty());
    File::open(folder.unwrap_or(Path::new(".")))?.sync_all()?;
    Ok(())
}

#[cfg(test)]
mod tests;
