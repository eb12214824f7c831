//! The folder where things are kept from one run of a program to the next, and how files are written there.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::{fs, io};

/// `CROSSLANE_CACHE` (`off`: none), or crosslane's part of the system's folder for caches.
pub(crate) fn folder() -> Option<PathBuf> {
    let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    match set("CROSSLANE_CACHE") {
        Some(value) if value.as_os_str() == "off" => None,
        Some(folder) => Some(folder),
        None => set("XDG_CACHE_HOME")
            .filter(|folder| folder.is_absolute())
            .or_else(|| set("HOME").map(|home| home.join(".cache")))
            .or_else(|| set("LOCALAPPDATA"))
            .map(|folder| folder.join("crosslane")),
    }
}

/// Writes beside the place and moves there: a reader sees all of it or nothing.
pub(crate) fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    let folder = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder)?;
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let beside = folder.join(format!("{}-{number}.new", std::process::id()));
    let result = fs::write(&beside, bytes).and_then(|_| fs::rename(&beside, path));
    if result.is_err() {
        let _ = fs::remove_file(&beside);
    }
    result
}

/// FNV-1a with 128 bits.
pub(crate) fn hash(bytes: &[u8]) -> u128 {
    const START: u128 = 0x6c62272e07bb014262b821756295c58d;
    const PRIME: u128 = 0x0000000001000000000000000000013b;
    bytes.iter().fold(START, |hash, &byte| (hash ^ byte as u128).wrapping_mul(PRIME))
}
