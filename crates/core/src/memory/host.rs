//! Host memory for results: zeroed, in huge pages where the system has them.

use crate::error::{CallSite, Error, Result};
use bytemuck::Pod;

/// This many zeros. The system makes the pages when they are first written, by several threads; 2 MiB at a time if it
/// can, which for a gigabyte is 512 interruptions and not 262,144: on the machine of an H200 a fresh vector took 137 ms
/// to fill with small pages where memory that was there took 25 (2026-11-21).
///
/// Errors: the system does not give that much.
pub fn zeros<T: Pod>(operation: &'static str, len: usize, at: CallSite) -> Result<Vec<T>> {
    let Ok(mut values) = bytemuck::allocation::try_zeroed_vec(len) else {
        return Err(exhausted(operation, (len as u64).saturating_mul(size_of::<T>() as u64), at));
    };
    advise_huge_pages(bytemuck::cast_slice_mut(&mut values));
    Ok(values)
}

/// Room for this many elements in the host's memory, none of them there yet.
///
/// Errors: the system does not give that much.
pub fn room<T>(operation: &'static str, len: usize, at: CallSite) -> Result<Vec<T>> {
    let mut values = Vec::new();
    match values.try_reserve_exact(len) {
        Ok(()) => Ok(values),
        Err(_) => Err(exhausted(operation, (len as u64).saturating_mul(size_of::<T>() as u64), at)),
    }
}

/// The host has no memory for this.
pub fn exhausted(operation: &'static str, requested: u64, at: CallSite) -> Error {
    let host = "the host, for elements outside of arrays".into();
    Error::out_of_memory(operation, requested, None, host).located(at)
}

#[cfg(target_os = "linux")]
fn advise_huge_pages(bytes: &mut [u8]) {
    const HUGE: usize = 2 << 20;
    let start = bytes.as_ptr().align_offset(HUGE);
    if bytes.len() < start.saturating_add(HUGE) {
        return;
    }
    let inside = &mut bytes[start..];
    // SAFETY: the range is ours, and the advice changes how its pages are made, never what they hold.
    unsafe { libc::madvise(inside.as_mut_ptr().cast(), inside.len() / HUGE * HUGE, libc::MADV_HUGEPAGE) };
}

#[cfg(not(target_os = "linux"))]
fn advise_huge_pages(_: &mut [u8]) {}

#[cfg(test)]
mod tests {
    use super::{room, zeros};
    use std::panic::Location;

    #[test]
    fn zeros_are_zero_at_any_size() {
        for len in [0, 1, 1000, (5 << 20) + 3] {
            let values: Vec<u8> = zeros("to_vec", len, Location::caller()).unwrap();
            assert!(values.len() == len && values.iter().all(|&x| x == 0));
        }
    }

    #[test]
    fn more_than_the_system_gives_is_an_error() {
        let at = Location::caller();
        for len in [1 << 52, usize::MAX] {
            assert!(zeros::<u64>("to_vec", len, at).is_err() && room::<u64>("to_vec", len, at).is_err());
        }
        let error = zeros::<u32>("to_vec", 1 << 52, at).unwrap_err().to_string();
        assert!(error.starts_with("to_vec: out of memory: 18014398509481984 bytes wanted on the host"), "{error}");
    }
}
