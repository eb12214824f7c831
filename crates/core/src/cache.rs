//! The folder where things are kept from one run of a program to the next, and how long their files may be.

use std::path::PathBuf;

/// Bytes of a file at most that people may write too, as a device's tuning.
pub const MOST_TEXT: u64 = 1 << 20;

/// `CROSSLANE_CACHE` (`off`: none), or crosslane's part of the system's folder for caches.
pub fn folder() -> Option<PathBuf> {
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

/// FNV-1a with 128 bits.
pub fn hash(bytes: &[u8]) -> u128 {
    const START: u128 = 0x6c62272e07bb014262b821756295c58d;
    const PRIME: u128 = 0x0000000001000000000000000000013b;
    bytes.iter().fold(START, |hash, &byte| (hash ^ byte as u128).wrapping_mul(PRIME))
}
