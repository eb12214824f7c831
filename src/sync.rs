//! The locks that evaluation is made of. In the crate's own tests they are shuttle's, which tries the orders in which threads
//! can come by: see `array/model.rs`.

#[cfg(test)]
pub(crate) use shuttle::sync::{Condvar, Mutex, MutexGuard};
#[cfg(not(test))]
pub(crate) use std::sync::{Condvar, Mutex, MutexGuard};
