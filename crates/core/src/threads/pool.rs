//! A thread pool for shared work. The thread that waits for it runs no other jobs meanwhile: it may be a worker of
//! another, work-stealing pool, and a job that it stole could need a lock that it holds.

use super::count;
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::panic::resume_unwind;
use std::sync::LazyLock;
use std::thread::{Builder, scope};

/// Threads of the library's own that sleep while there is nothing to do: waking 16 takes a few microseconds, starting them
/// half a millisecond, of the two that a piece of a transfer takes.
static POOL: LazyLock<Option<ThreadPool>> =
    LazyLock::new(|| ThreadPoolBuilder::new().num_threads(count()).build().ok());

/// Runs the same function on this many threads and one more, and waits for all. Where the system gives fewer threads,
/// fewer do it: the work is taken from something they share. A function without a type: rayon's code is there once.
pub fn together(others: usize, work: &(dyn Fn() + Sync)) {
    let Some(pool) = POOL.as_ref().filter(|_| others > 0) else { return work() };
    let all = || {
        pool.scope(|scope| {
            (0..others).for_each(|_| scope.spawn(|_| work()));
            work();
        });
    };
    // The worker of a pool would take up another job of its pool while it waits for ours; a thread just waits.
    match rayon::current_thread_index() {
        None => all(),
        Some(_) => scope(|scope| match Builder::new().spawn_scoped(scope, all) {
            Ok(thread) => thread.join().unwrap_or_else(|panic| resume_unwind(panic)),
            Err(_) => work(),
        }),
    }
}

/// Runs a function in the pool, so that what it shares is the pool's work; where this thread is another pool's, here.
pub fn within<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    match POOL.as_ref().filter(|_| rayon::current_thread_index().is_none()) {
        Some(pool) => pool.install(work),
        None => work(),
    }
}

/// Whether this thread is one of the pool's.
pub fn is_own() -> bool {
    POOL.as_ref().is_some_and(|pool| pool.current_thread_index().is_some())
}

/// Has one of the library's own threads do something when it has the time; false if there are none.
pub fn spawn(work: impl FnOnce() + Send + 'static) -> bool {
    POOL.as_ref().map(|pool| pool.spawn(work)).is_some()
}

/// Does something with each item, several at a time.
pub fn each<T: Send>(items: Vec<T>, work: impl Fn(T) + Sync) {
    let others = items.len().min(count()).saturating_sub(1);
    let rest = std::sync::Mutex::new(items.into_iter());
    let next = || rest.lock().expect("no panic while held").next();
    together(others, &|| std::iter::from_fn(next).for_each(&work));
}

/// Does both at the same time.
pub fn both<A: Send, B>(first: impl Fn() -> A + Sync, second: impl FnOnce() -> B) -> (A, B) {
    scope(|scope| match Builder::new().spawn_scoped(scope, &first) {
        Ok(other) => {
            let second = second();
            (other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)), second)
        }
        Err(_) => (first(), second()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

    #[test]
    fn everything_is_done_once() {
        let done: Vec<AtomicUsize> = (0..100).map(|_| AtomicUsize::new(0)).collect();
        each(done.iter().collect(), |times| {
            times.fetch_add(1, Relaxed);
        });
        assert!(done.iter().all(|times| times.load(Relaxed) == 1));
        let runs = AtomicUsize::new(0);
        together(3, &|| {
            runs.fetch_add(1, Relaxed);
        });
        assert_eq!((runs.into_inner(), both(|| 1, || 2)), (4, (1, 2)));
    }
}
