//! What is kept for the next time has a bound: memory does not grow with kernels, values and formulas, and what was
//! forgotten is made again. One test, since the process's memory is looked at.

mod support;

use crosslane::device::Backend;
use crosslane::{Array, Device, Elementwise, Kernel};
use support::process::Usage;
use support::*;

const TEXT: &str = "override n: u32 = 1u;
    @group(0) @binding(0) var<storage, read_write> x: array<u32>;
    @compute @workgroup_size(1) fn add() { x[0] += n; }";

/// Does it until all that is kept is full, then as often again: the second time must not take more than so many MiB.
fn grows(what: &str, most: f64, rounds: usize, mut work: impl FnMut(usize)) {
    (0..rounds).for_each(&mut work);
    let memory = || Usage::now().map(|usage| usage.memory);
    let before = memory();
    (rounds..2 * rounds).for_each(&mut work);
    let Some((before, after)) = before.zip(memory()) else {
        return say(&format!("skipped: {what}: the system does not say how much memory is used"));
    };
    say(&format!("{what}: {before:.1} MiB, then {after:.1}"));
    assert!(after - before < most, "{what}: {before} MiB became {after}");
}

fn same_text(device: &Device) {
    let mut x = Array::<u32>::zeros(device, &[1]);
    let mut wanted = 0;
    grows(&format!("the same text on {}", name(device)), 8.0, 5_000, |_| {
        let kernel = Kernel::wgsl(TEXT).unwrap();
        kernel.grid([1]).args(&mut x).launch(device).unwrap();
        kernel.named("added").grid([1]).args(&mut x).launch(device).unwrap();
        let seven = Kernel::wgsl_with(TEXT, Some("add"), &[("n", 7.0)]).unwrap();
        seven.grid([1]).args(&mut x).launch(device).unwrap();
        wanted += 9;
        if wanted % 900 == 0 {
            device.synchronize().unwrap(); // what was submitted has memory of its own
        }
    });
    assert_eq!(x.item().unwrap(), wanted, "on {}", name(device));
}

fn other_values(device: &Device) {
    let kernel = Kernel::wgsl(TEXT).unwrap();
    let mut x = Array::<u32>::zeros(device, &[1]);
    let mut wanted = 0u32;
    grows(&format!("values of overrides on {}", name(device)), 6.0, 2_000, |n| {
        kernel.grid([1]).set("n", n as f64).args(&mut x).launch(device).unwrap();
        wanted += n as u32;
    });
    // The first was forgotten long ago.
    kernel.grid([1]).set("n", 1.0).args(&mut x).launch(device).unwrap();
    assert_eq!(x.item().unwrap(), wanted + 1, "on {}", name(device));
}

fn formulas(device: &Device) {
    let x = Array::from_slice(device, &[1.0f32, 2.0]);
    let first = Elementwise::new("x: f32", "y: f32 = x * 3.0 + 0.5").unwrap();
    let calls = |formula: &Elementwise| formula.call::<f32>(&x).unwrap().to_vec().unwrap();
    assert_eq!(calls(&first), [3.5, 6.5]);
    grows(&format!("formulas on {}", name(device)), 24.0, 1_200, |n| {
        let formula = Elementwise::new("x: f32", &format!("y: f32 = x * {n}.0 - 1.0")).unwrap();
        assert_eq!(calls(&formula), [n as f32 - 1.0, 2.0 * n as f32 - 1.0], "on {}", name(device));
    });
    assert_eq!(calls(&first), [3.5, 6.5], "forgotten and made again on {}", name(device));
}

#[test]
fn memory_does_not_grow() {
    for device in drivers() {
        same_text(device);
    }
    let cpu = drivers().find(|device| device.properties().backend == Backend::Cpu);
    let Some(cpu) = cpu else { return say("skipped: no cpu engine for values and formulas") };
    other_values(cpu);
    formulas(cpu);
}
