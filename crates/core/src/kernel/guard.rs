//! Turns panics of naga into errors: its parser and its writers panic on some input that they do not support.
//!
//! `override oi = 3i; .. bitcast<u32>(oi)` is one for naga 30.0.1's writer of SPIR-V, an index of `coopStore` that no `let`
//! named is another.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::Once;

thread_local! {
    /// Whether this thread's panics are converted to errors.
    static TOLD: Cell<bool> = const { Cell::new(false) };
}

/// Runs what calls naga. A panic is an error with its text and is not printed; where panics abort, it aborts.
pub fn guarded<R>(work: impl FnOnce() -> R) -> Result<R, String> {
    static HOOK: Once = Once::new();
    // A hook cannot be set for one thread: this one passes all other panics on.
    HOOK.call_once(|| {
        if !std::thread::panicking() {
            let before = take_hook();
            set_hook(Box::new(move |panic| {
                if !TOLD.get() {
                    before(panic);
                }
            }));
        }
    });
    let outer = TOLD.replace(true);
    let result = catch_unwind(AssertUnwindSafe(work));
    TOLD.set(outer);
    result.map_err(|payload| {
        let text = payload.downcast_ref::<String>().map(String::as_str).or(payload.downcast_ref::<&str>().copied());
        format!("error: the shader compiler naga panicked: {}", text.unwrap_or("it does not say why"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_an_error_and_others_are_not_hidden() {
        assert_eq!(guarded(|| 3), Ok(3));
        assert!(guarded(|| panic!("on {}", "purpose")).unwrap_err().ends_with("panicked: on purpose"));
        assert!(guarded(|| guarded(|| panic!("inner")).is_err() && TOLD.get()).unwrap());
        assert!(!TOLD.get());
    }
}
