//! What the target has. A browser (wasm32) gives neither threads nor calls that block; `std`'s clock panics there.

/// The time of the host: `std`'s, in a browser that of the page.
pub use web_time::Instant;

/// Whether the target is a browser's.
pub const BROWSER: bool = cfg!(target_family = "wasm");
