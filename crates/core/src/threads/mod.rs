//! How many threads run at the same time, and threads that share work.

#[cfg_attr(target_family = "wasm", expect(dead_code, reason = "a page has no end of the process to wait at"))]
mod ending;
mod pool;

pub use ending::watch_the_end;
pub use ending::{in_driver, wait_at_the_end, watch_a_device};
pub use pool::{both, each, spawn, together};
pub use pool::{is_own, within};

use std::num::NonZero;
use std::sync::OnceLock;
use std::thread::available_parallelism;

/// Threads that can run at the same time here, or as many as `CROSSLANE_THREADS` says.
pub fn count() -> usize {
    static COUNT: OnceLock<usize> = OnceLock::new();
    let set = || std::env::var("CROSSLANE_THREADS").ok()?.trim().parse().ok().filter(|&threads| threads > 0);
    *COUNT.get_or_init(|| set().unwrap_or_else(|| available_parallelism().map_or(1, NonZero::get)))
}
