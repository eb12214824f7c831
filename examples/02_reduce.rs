//! Reductions: over everything, over an axis, several with one submission, and with an operator of your own.

use crosslane::{Array, Device, Result, axes, eval_all};

fn main() -> Result<()> {
    env_logger::init_from_env(env_logger::Env::new().default_filter_or("crosslane=warn")); // advice is logged
    let device = Device::new()?;
    let (rows, columns) = (100, 100);
    let x = Array::arange(&device, 0u32, (rows * columns) as u32, 1).reshape(&[rows, columns]).cast::<f32>();

    // Over everything: what stands before the reduction is part of its kernel, so x is never written to memory.
    let mean = x.mean().item()?;
    assert!((mean - (rows * columns - 1) as f32 / 2.0).abs() < 1e-6 * mean);
    println!("mean {mean}");

    // Over an axis. Negative axes count from the end; a kept one has extent 1, ready to broadcast.
    let row_means = x.mean_axes(axes(-1).keep_dims());
    assert_eq!(row_means.shape(), [rows, 1]);
    let centred = &x - &row_means;
    let spread = centred.abs().max().item()?;
    assert_eq!(spread, (columns - 1) as f32 / 2.0);
    println!("no element is farther than {spread} from the mean of its row");

    // Two results with one submission, and one wait.
    let (least, most) = (x.min(), x.max());
    eval_all(&[&least, &most])?;
    println!("from {} to {}", least.item()?, most.item()?);

    // An operator of your own: a WGSL expression in `a` and `b`, associative, and its identity.
    let longest = x.reduce("max(a, b % 1000.0)", 0.0).item()?;
    assert_eq!(longest, 999.0);
    println!("the largest remainder by 1000 is {longest}");

    // A sum of f32 is a tree, not a loop: it stays close to the exact result, and is the same bits every time.
    let tenth = Array::full(&device, &[10_000_000], 0.1f32);
    let (sum, exact) = (tenth.sum().item()?, 0.1f32 as f64 * 1e7);
    let naive: f32 = std::iter::repeat_n(0.1f32, 10_000_000).sum();
    assert!((sum as f64 - exact).abs() < 1e-6 * exact);
    println!("10,000,000 times 0.1f32 is {sum} here, {naive} in a loop, {exact:.2} exactly");
    println!("checked: the mean, the spread, the remainder and the sum are as the host computes them");
    Ok(())
}
