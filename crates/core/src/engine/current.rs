//! The streams that this thread's work goes to.

use crate::memory::Block;
use std::cell::RefCell;
use std::sync::Arc;

/// A stream that a thread can be in. It lives as long as a thread is in it.
pub trait Enter: Send + Sync {
    /// The engine's own, if it has several.
    fn block(&self) -> Option<&Block>;
}

thread_local! {
    /// The streams whose closures this thread is in, the innermost last.
    static ENTERED: RefCell<Vec<Arc<dyn Enter>>> = const { RefCell::new(Vec::new()) };
}

/// What an engine finds in the innermost stream that is its own, if this thread is in any.
pub fn current<R>(find: impl Fn(&Block) -> Option<R>) -> Option<R> {
    ENTERED.with_borrow(|entered| entered.iter().rev().find_map(|stream| find(stream.block()?)))
}

/// The streams that this thread is in, to go on in another thread.
pub fn entered() -> Vec<Arc<dyn Enter>> {
    ENTERED.with_borrow(Clone::clone)
}

/// Runs `work` in these streams, the last the innermost.
pub fn within<R>(streams: Vec<Arc<dyn Enter>>, work: impl FnOnce() -> R) -> R {
    /// Leaves the streams, also when `work` panics.
    struct Leave(usize);
    impl Drop for Leave {
        fn drop(&mut self) {
            let left = ENTERED.with_borrow_mut(|entered| entered.split_off(self.0));
            drop(left); // it may end a device, which must not find the list borrowed
        }
    }
    let _leave = Leave(ENTERED.with_borrow(Vec::len));
    ENTERED.with_borrow_mut(|entered| entered.extend(streams));
    work()
}
