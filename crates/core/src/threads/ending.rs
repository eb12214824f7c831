//! The end of the process, which waits for the library's own threads that are in a driver, and for work of drivers that compute on
//! threads of their own: drivers free what they use in handlers, and a thread that is in one then crashes.

use std::cell::Cell;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError, mpsc};
use std::time::Duration;

/// The longest that the process waits: a job may never end.
const PATIENCE: Duration = Duration::from_secs(5);

/// Devices that handlers are registered for: a process has no more drivers, however many devices it opens.
const MOST_DEVICES: usize = 64;

struct State {
    /// Threads that are in a driver.
    inside: usize,
    /// Whether the process ends: nobody enters a driver any more.
    ends: bool,
}

static STATE: Mutex<State> = Mutex::new(State { inside: 0, ends: false });
static LEFT: Condvar = Condvar::new();

/// The work of a device that computes on threads of the process.
struct Work {
    /// Whether the device is there.
    is_there: Box<dyn Fn() -> bool + Send>,
    wait: Box<dyn Fn() + Send>,
}

static WORK: Mutex<Vec<Work>> = Mutex::new(vec![]);

thread_local! {
    /// Whether this thread is one of them.
    static INSIDE: Cell<bool> = const { Cell::new(false) };
}

fn state() -> MutexGuard<'static, State> {
    STATE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Has the end of the process wait for those that are in a driver. Called once a driver, or a compiler of it, is loaded: handlers run
/// in reverse order, so that this one runs before those of what was loaded.
pub fn watch_the_end() {
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

/// As [`watch_the_end`], for one of any number of devices.
pub fn watch_a_device() {
    static DEVICES: AtomicUsize = AtomicUsize::new(0);
    if DEVICES.fetch_add(1, Relaxed) < MOST_DEVICES {
        watch_the_end();
    }
}

/// Has the end of the process wait for a device's work too, as long as the device is there.
pub fn wait_at_the_end(is_there: impl Fn() -> bool + Send + 'static, wait: impl Fn() + Send + 'static) {
    let mut all = WORK.lock().unwrap_or_else(PoisonError::into_inner);
    all.retain(|work| (work.is_there)());
    all.push(Work { is_there: Box::new(is_there), wait: Box::new(wait) });
    drop(all);
    watch_a_device();
}

/// Waits for all devices' work: on another thread, since this one may hold what it needs.
fn finish_work() {
    let all = std::mem::take(&mut *WORK.lock().unwrap_or_else(PoisonError::into_inner));
    if all.is_empty() {
        return;
    }
    let (done, told) = mpsc::channel();
    let finish = move || {
        all.iter().for_each(|work| (work.wait)());
        // Who waited may have lost patience.
        let _ = done.send(());
    };
    if std::thread::Builder::new().name("crosslane end".into()).spawn(finish).is_ok() {
        let _ = told.recv_timeout(PATIENCE);
    }
}

/// From here on nobody enters a driver, and those that are in one have left it, or are this thread.
extern "C" fn wait() {
    let mut state = state();
    state.ends = true;
    let own = INSIDE.get() as usize;
    drop(LEFT.wait_timeout_while(state, PATIENCE, |state| state.inside > own));
    finish_work();
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
pub fn in_driver<R>(work: impl FnOnce() -> R) -> R {
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
