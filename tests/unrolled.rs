//! Kernels whose marked loops are written out compute what they did, on a device that checks.

use crosslane::{Array, Device, Kernel};
use crosslane_core::kernel::unroll;

#[path = "../crates/core/src/kernel/unroll/texts.rs"]
mod texts;

#[test]
fn what_is_written_out_computes_the_same() {
    let device = Device::cpu_checked().unwrap();
    let x: Vec<u32> = (0..200u32).map(|i| i.wrapping_mul(2_654_435_761) >> 20).collect();
    for (body, ..) in texts::TEXTS {
        let kernel = Kernel::wgsl(&texts::main(body)).unwrap();
        let mut module = kernel.module().unwrap();
        unroll(&mut module);
        let run = |kernel: &Kernel| {
            let (input, mut output) = (Array::from_slice(&device, &x), Array::<u32>::zeros(&device, &[128]));
            kernel.grid([1]).args((&input, &mut output)).launch(&device).unwrap();
            output.to_vec().unwrap()
        };
        assert_eq!(run(&kernel), run(&kernel.with_module(module).into()), "{body}");
    }
}
