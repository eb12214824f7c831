//! One program, every device: the same answer, bit for bit, wherever it runs.
//!
//! `CROSSLANE_DEVICE` names the device (`lavapipe`, `cuda`, `cpu`, `cpu:apple-like`); features alone choose as well:
//! `cargo run --example 41_switching --no-default-features --features cpu`, or `wgpu`, or `cuda`.
//! `cargo xtask switching` does all that there is here, and compares the answers.

use crosslane::random::Generator;
use crosslane::{Array, Device, Kernel, Result, s};

/// Collatz steps of each number.
const STEPS: &str = "
@group(0) @binding(0) var<storage, read> numbers: array<u32>;
@group(0) @binding(1) var<storage, read_write> steps: array<u32>;
@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= arrayLength(&numbers) { return; }
    var n = numbers[id.x];
    var count = 0u;
    while n != 1u && count < 1000u {
        n = select(n / 2u, 3u * n + 1u, n % 2u == 1u);
        count++;
    }
    steps[id.x] = count;
}";

fn main() -> Result<()> {
    env_logger::init_from_env(env_logger::Env::new().default_filter_or("crosslane=warn"));
    let device = Device::new()?;
    println!("on {}", device.properties());

    // Draws, a kernel of one's own, a sort, a histogram and a product: of whole numbers, so that no sum is rounded.
    let numbers = Generator::new(&device, 7).integers(1u32..1 << 16, &[20_000]);
    let mut steps = Array::<u32>::zeros(&device, &[20_000]);
    Kernel::wgsl(STEPS)?.for_elements(20_000).args((&numbers, &mut steps)).launch(&device)?;
    let longest = steps.sort().slice(s![-5..]).to_vec()?;
    let (bins, _) = steps.histogram(8, 0.0..400.0)?;
    let matrix = (&steps % 8).cast::<f32>().slice(s![..2500]).reshape(&[50, 50]);
    let sum = matrix.matmul(&matrix).sum().item()?;
    println!("answer: the longest {longest:?}, by fifties {:?}, the product's sum {sum}", bins.to_vec()?);

    let host = numbers.to_vec()?;
    let by_hand = |mut n: u64| {
        let mut count = 0;
        while n != 1 && count < 1000 {
            n = if n % 2 == 1 { 3 * n + 1 } else { n / 2 };
            count += 1;
        }
        count
    };
    assert!(host.iter().zip(steps.to_vec()?).all(|(&n, steps)| by_hand(n as u64) == steps));
    println!("checked: the steps of {} numbers", host.len());
    Ok(())
}
