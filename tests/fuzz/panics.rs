//! Panics as text: where, and through which function of the library. They are not printed, since shrinking repeats them.

use std::any::Any;
use std::backtrace::Backtrace;
use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, PanicHookInfo, catch_unwind, set_hook};
use std::sync::Once;

thread_local! {
    static LAST: RefCell<Option<Panic>> = const { RefCell::new(None) };
    static SHRINKING: Cell<bool> = const { Cell::new(false) };
}

/// A panic.
#[derive(Clone)]
pub struct Panic {
    /// The file and the line: what tells one panic from another.
    pub place: String,
    /// What it says, and the first functions of the library on the stack.
    pub text: String,
}

fn says(payload: &(dyn Any + Send)) -> &str {
    let text = payload.downcast_ref::<String>().map(String::as_str).or(payload.downcast_ref().copied());
    text.unwrap_or("it does not say why")
}

fn told(panic: &PanicHookInfo) -> Panic {
    let place = panic.location().map(ToString::to_string).unwrap_or_default();
    // Walking the stack takes longer than most cases.
    let stack = if SHRINKING.get() { String::new() } else { Backtrace::force_capture().to_string() };
    let ours = stack.lines().filter(|line| line.contains("crosslane::")).take(4);
    let through: Vec<&str> =
        ours.map(|line| line.trim().trim_start_matches(|c: char| c.is_ascii_digit() || c == ':')).collect();
    Panic { text: format!("{}, through{}", says(panic.payload()), through.join(" <-")), place }
}

/// From now on panics are kept, not printed.
pub fn keep() {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| set_hook(Box::new(|panic| LAST.set(Some(told(panic))))));
}

/// Runs `work`, and gives its panic if it panics.
pub fn caught<R>(work: impl FnOnce() -> R) -> Result<R, Panic> {
    LAST.set(None);
    catch_unwind(AssertUnwindSafe(work)).map_err(|payload| {
        // One of another thread's is passed on without a call of the hook.
        LAST.take().unwrap_or_else(|| Panic { place: "another thread".into(), text: says(&*payload).into() })
    })
}

/// While `work` runs, panics of this thread are told without the stack.
pub fn shrinking<R>(work: impl FnOnce() -> R) -> R {
    SHRINKING.set(true);
    let result = work();
    SHRINKING.set(false);
    result
}
