//! The end of the process, which waits for the library's own threads that are in a driver: drivers free what they use in handlers
//! of their own, and a thread that is in one then crashes.

use std::cell::Cell;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// The longest that the process waits: a job may never end.
const PATIENCE: Duration = Duration::from_secs(5);

struct State {
    /// Threads that are in a driver.
    inside: usize,
    /// Whether the process ends: nobody enters a driver any more.
    ends: bool,
}

static STATE: Mutex<State> = Mutex::new(State { inside: 0, ends: false });
static LEFT: Condvar = Condvar::new();

thread_local! {
    /// Whether this thread is one of them.
    static INSIDE: Cell<bool> = const { Cell::new(false) };
}

fn state() -> MutexGuard<'static, State> {
    STATE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Has the end of the process wait for those that are in a driver. Called once the driver is loaded: handlers run in reverse order,
/// so that this one runs before the driver's own, however many drivers there are.
pub(crate) fn watch_the_end() {
    #[cfg(any(unix, windows))]
    {
        unsafe extern "C" {
            fn atexit(handler: extern "C" fn()) -> std::ffi::c_int;
        }
        // SAFETY: the handler does not unwind, and uses nothing that is gone by then: statics without destructors.
        if unsafe { atexit(wait) } != 0 {
            log::info!("the end of the process does not wait for background work");
        }
    }
}

/// From here on nobody enters a driver, and those that are in one have left it, or are this thread.
extern "C" fn wait() {
    let mut state = state();
    state.ends = true;
    let own = INSIDE.get() as usize;
    drop(LEFT.wait_timeout_while(state, PATIENCE, |state| state.inside > own));
}

/// Leaves the driver, also where the work panics.
struct Inside;

impl Drop for Inside {
    fn drop(&mut self) {
        INSIDE.set(false);
        state().inside -= 1;
        LEFT.notify_all();
    }
}

/// Does work in a driver on a thread of the library's own. Where the process ends it is not begun, and the thread ends with it.
pub(crate) fn in_driver<R>(work: impl FnOnce() -> R) -> R {
    let mut state = state();
    while state.ends {
        drop(state);
        std::thread::park();
        state = self::state();
    }
    state.inside += 1;
    drop(state);
    INSIDE.set(true);
    let _inside = Inside;
    work()
}
