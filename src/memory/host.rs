//! Host memory for results: zeroed, in huge pages where the system has them.

use bytemuck::Pod;

/// This many zeros. The system makes the pages when they are first written, by several threads; 2 MiB at a time if it
/// can, which for a gigabyte is 512 interruptions and not 262,144: on the machine of an H200 a fresh vector took 137 ms
/// to fill with small pages where memory that was there took 25 (2026-11-21).
pub(crate) fn zeros<T: Pod>(len: usize) -> Vec<T> {
    let mut values = bytemuck::allocation::zeroed_vec(len);
    advise_huge_pages(bytemuck::cast_slice_mut(&mut values));
    values
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
    #[test]
    fn zeros_are_zero_at_any_size() {
        for len in [0, 1, 1000, (5 << 20) + 3] {
            let values: Vec<u8> = super::zeros(len);
            assert!(values.len() == len && values.iter().all(|&x| x == 0));
        }
    }
}
