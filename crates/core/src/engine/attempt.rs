//! Calls that wait, where nothing may block: in a browser what they wait for comes from its event loop.
//!
//! A call is attempted. Its first wait begins what it waits for, and fails, which ends the attempt. When that has come, the
//! call is attempted again from its beginning: its first wait then returns what has come, and it goes on to the second.
//! What a call does before a wait is done again in the next attempt. So launches are submitted and their results published
//! before the wait, where the next attempt finds them; what a wait returns is found by its name, not by its number; and memory that
//! is read lives as long as the call.

use crate::error::{Error, Result};
use std::cell::RefCell;
use std::pin::Pin;
use std::rc::Rc;

/// What identifies a wait in each attempt of a call: what is done, and the memory that is read.
pub(crate) type Name = (&'static str, Vec<u64>);

/// What a wait returns: the bytes that were read.
pub type Coming = Pin<Box<dyn Future<Output = Result<Vec<u8>>>>>;

/// Waits of one call at most: no call has as many, so that more are one that is not found again.
#[cfg(any(test, target_family = "wasm"))]
const MOST: usize = 256;

/// One attempt.
#[derive(Default)]
struct Attempt {
    /// What waits of the attempts before have returned, and whether this attempt has come by it.
    come: Vec<(Name, Rc<Vec<u8>>, bool)>,
    /// What ends this attempt.
    begun: Option<(Name, Coming)>,
}

thread_local! {
    /// The attempt that this thread is in.
    static ATTEMPT: RefCell<Option<Attempt>> = const { RefCell::new(None) };
}

/// Waits: returns what was waited for, or begins it and ends the attempt by the error `blocks`. Outside of an attempt nothing
/// begins.
pub fn wait(name: Name, blocks: Error, begin: impl FnOnce() -> Result<Coming>) -> Result<Rc<Vec<u8>>> {
    let known = ATTEMPT.with_borrow_mut(|attempt| {
        let attempt = attempt.as_mut().filter(|attempt| attempt.begun.is_none())?;
        let found = attempt.come.iter_mut().find(|(other, _, passed)| !passed && *other == name);
        Some(found.map(|(_, bytes, passed)| {
            *passed = true;
            bytes.clone()
        }))
    });
    match known {
        None => Err(blocks),
        Some(Some(bytes)) => Ok(bytes),
        Some(None) => {
            let coming = begin()?;
            ATTEMPT.with_borrow_mut(|attempt| {
                attempt.as_mut().expect("it ends after this call").begun = Some((name, coming));
            });
            Err(blocks)
        }
    }
}

/// Attempts a call until it waits for nothing more.
#[cfg(any(test, target_family = "wasm"))]
pub async fn attempts<R>(mut call: impl FnMut() -> Result<R>) -> Result<R> {
    let mut come = vec![];
    loop {
        ATTEMPT.set(Some(Attempt { come, begun: None }));
        let result = call();
        let attempt = ATTEMPT.take().unwrap_or_default();
        match attempt.begun {
            Some((name, coming)) if attempt.come.len() < MOST => {
                come = attempt.come;
                come.iter_mut().for_each(|(_, _, passed)| *passed = false);
                come.push((name, Rc::new(coming.await?), false));
            }
            _ => return result,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;
    use std::cell::Cell;

    fn blocks() -> Error {
        Error::argument("test", "wait", "an attempt", "none", std::panic::Location::caller())
    }

    fn read(name: u64) -> Result<Vec<u8>> {
        let begin = || Ok(Box::pin(async move { Ok(vec![name as u8]) }) as Coming);
        wait(("read", vec![name]), blocks(), begin).map(|bytes| bytes.to_vec())
    }

    #[test]
    fn each_wait_returns_what_has_come_for_it() {
        let (attempted, told) = (Cell::new(0), Cell::new(false));
        let call = || {
            attempted.set(attempted.get() + 1);
            let first = read(1)?;
            // What is done once, as a report that is cleared, is not asked for again.
            if !told.get() {
                assert_eq!(read(7)?, [7]);
                told.set(true);
            }
            Ok([first, read(2)?, read(1)?].concat())
        };
        assert_eq!(futures::executor::block_on(attempts(call)).unwrap(), [1, 2, 1]);
        assert_eq!(attempted.get(), 5);
    }

    #[test]
    fn errors_end_a_call() {
        assert!(read(1).is_err(), "no attempt is under way");
        let failing = || wait(("read", vec![]), blocks(), || Ok(Box::pin(async { Err(blocks()) })));
        assert!(futures::executor::block_on(attempts(failing)).is_err());
        let refused = || wait(("read", vec![]), blocks(), || Err(blocks()));
        assert!(matches!(
            futures::executor::block_on(attempts(refused)).unwrap_err().kind(),
            ErrorKind::Argument { .. }
        ));
        // A call that names its waits anew each time ends.
        let number = Cell::new(0);
        let endless = || {
            number.set(number.get() + 1);
            read(number.get())
        };
        assert!(futures::executor::block_on(attempts(endless)).is_err());
        assert_eq!(number.get(), MOST as u64 + 1);
    }

    #[test]
    fn calls_go_on_beside_one_another() {
        let twice = |from: u64| attempts(move || Ok([read(from)?, read(from + 1)?].concat()));
        let both = futures::executor::block_on(async { futures::join!(twice(1), twice(5)) });
        assert_eq!((both.0.unwrap(), both.1.unwrap()), (vec![1, 2], vec![5, 6]));
    }
}
