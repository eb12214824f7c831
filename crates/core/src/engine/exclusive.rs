//! Devices are looked for, opened and closed by one thread after the other.
//!
//! NVIDIA's driver 580 hangs otherwise, on an H200 in two of four runs of tests that open and close devices side by side: a thread
//! that closes one and a thread that opens another each wait for a lock of the driver's.

use std::sync::{Condvar, Mutex, MutexGuard};
use std::thread::{self, ThreadId};

/// The thread that has it, and how often it has taken it.
static HOLDER: Mutex<Option<(ThreadId, usize)>> = Mutex::new(None);
static FREE: Condvar = Condvar::new();

fn holder() -> MutexGuard<'static, Option<(ThreadId, usize)>> {
    HOLDER.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// Keeps other threads from opening and closing devices until it is dropped. A thread may take it again: opening a device may
/// close one that failed.
pub struct Exclusive(());

impl Exclusive {
    /// Waits until no other thread has it.
    pub fn take() -> Exclusive {
        let (me, mut holder) = (thread::current().id(), holder());
        loop {
            match &mut *holder {
                None => {
                    *holder = Some((me, 1));
                    return Exclusive(());
                }
                Some((thread, times)) if *thread == me => {
                    *times += 1;
                    return Exclusive(());
                }
                Some(_) => holder = FREE.wait(holder).unwrap_or_else(|poisoned| poisoned.into_inner()),
            }
        }
    }
}

impl Drop for Exclusive {
    fn drop(&mut self) {
        let mut holder = holder();
        *holder = holder.take().and_then(|(thread, times)| (times > 1).then_some((thread, times - 1)));
        if holder.is_none() {
            FREE.notify_one();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Exclusive;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::thread::scope;

    #[test]
    fn one_thread_has_it_and_may_take_it_again() {
        let inside = AtomicUsize::new(0);
        let work = || {
            for _ in 0..1000 {
                let _exclusive = Exclusive::take();
                assert_eq!(inside.fetch_add(1, Ordering::SeqCst), 0);
                drop(Exclusive::take());
                assert_eq!(inside.fetch_sub(1, Ordering::SeqCst), 1);
            }
        };
        scope(|scope| (0..4).for_each(|_| drop(scope.spawn(work))));
    }
}
