//! The operations behind arrays: a folder each in `crates/ops`, with meaning, cost, plan and cases. They do not depend on engines.

#[cfg(feature = "cases")]
pub use crosslane_ops::cases;
pub use crosslane_ops::public::*;
