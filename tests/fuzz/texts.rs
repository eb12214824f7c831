//! Launches of a text that nobody has seen before, on the processor.

use crate::harness::Verdict;
use crate::panics;
use crosslane::{Argument, Array, Device, Error, Kernel};

/// Bytes of a binding beyond which a text is not launched.
const MOST: u64 = 1 << 18;

/// Runs a case on a stack of 1 MiB, as some threads of programs have: what overflows it aborts.
pub fn on_small_stack(case: impl FnOnce() -> Verdict + Send) -> Verdict {
    let caught = || panics::caught(case).map_err(|panic| format!("panicked at {}: {}", panic.place, panic.text));
    let ended = std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(1 << 20);
        thread.spawn_scoped(scope, caught).expect("one thread more").join()
    });
    ended.expect("panics are caught")?
}

/// The only kernel of a text, or the one called `main`.
pub fn kernel(text: &str) -> Result<Kernel, Error> {
    Kernel::wgsl(text).or_else(|error| Kernel::wgsl_with(text, Some("main"), &[]).map_err(|_| error))
}

/// The bytes that each binding of a kernel gets, `least` at least; `None` if one is too large to be tried.
pub fn sizes(kernel: &Kernel, least: u64) -> Option<Vec<u64>> {
    let bindings = &kernel.reflection().expect("a program's kernel").bindings;
    let size = |bytes: u64| (bytes <= MOST).then(|| bytes.max(least).next_multiple_of(16));
    bindings.iter().map(|binding| size(binding.bytes)).collect()
}

/// The words that a buffer begins with: small numbers, integers and floats by turns, and edges.
pub fn words(buffer: usize, bytes: u64) -> Vec<u32> {
    let edges = [0, 1, u32::MAX, i32::MIN as u32, 0x7f80_0000, 31];
    let word = |at: u32| match at % 4 {
        0 => at % 19,
        1 => ((at % 13) as f32 * 0.5 - 2.0).to_bits(),
        2 => (at % 7) + buffer as u32,
        _ => edges[(at / 4) as usize % edges.len()],
    };
    (0..bytes as u32 / 4).map(word).collect()
}

/// Runs a kernel over a grid of workgroups, and gives what its buffers hold afterwards.
pub fn launch(device: &Device, kernel: &Kernel, sizes: &[u64], groups: u32) -> Result<Vec<Vec<u32>>, Error> {
    let arrays: Vec<Array<u32>> =
        sizes.iter().enumerate().map(|(n, &bytes)| Array::from_slice(device, &words(n, bytes))).collect();
    let mut arguments: Vec<Argument> = arrays.iter().map(Argument::bytes_of).collect();
    let immediates = kernel.reflection().expect("a program's kernel").immediate_bytes as usize;
    if immediates > 0 {
        arguments.push(Argument::immediates(&vec![1; immediates]));
    }
    let launched = kernel.grid([groups]).args(arguments).launch(device);
    // What the kernel did wrong is told by the next wait.
    launched.and(device.synchronize())?;
    arrays.iter().map(Array::to_vec).collect()
}

/// A few letters for what buffers hold: kernels that compute something else have other ones.
pub fn letters(buffers: &[Vec<u32>]) -> String {
    let mix = |hash: u64, word: &u32| (hash ^ *word as u64).wrapping_mul(0x100_0000_01b3);
    let hash = buffers.iter().flatten().fold(0xcbf2_9ce4_8422_2325, mix);
    (0..12).map(|nth| (b'a' + (hash >> (nth * 5) & 15) as u8) as char).collect()
}

/// Whether a device still computes.
pub fn works(device: &Device) -> Result<(), String> {
    let sum = (Array::from_slice(device, &[1.0f32, 2.0, 3.0]) * 2.0).sum().item();
    match sum {
        Ok(12.0) => Ok(()),
        other => Err(format!("{device:?} no longer works: {other:?}")),
    }
}
