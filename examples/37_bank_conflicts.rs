//! Bank conflicts: a transposition through workgroup memory, whose tile has rows of 32 or of 33 words.

mod timing;

use crosslane::device::DeviceKind;
use crosslane::{Array, Device, Kernel, Result};

const TILE: u32 = 32; // as in the kernel

fn main() -> Result<()> {
    env_logger::init_from_env(env_logger::Env::new().default_filter_or("crosslane=warn")); // advice is logged
    let device = Device::new()?;
    let [rows, columns] = if device.properties().kind == DeviceKind::Software { [256u32, 512] } else { [4096, 8192] };
    let count = (rows * columns) as usize;
    let x = Array::arange(&device, 0u32, count as u32, 1).copy().reshape(&[rows as usize, columns as usize]);
    let check = |got: Vec<u32>| {
        let right = |(i, &got): (usize, &u32)| got == i as u32 % rows * columns + i as u32 / rows;
        assert!(got.iter().enumerate().all(right), "not the transposed matrix");
    };
    let say =
        |what: &str, time: f64| println!("{what:40} {time:>10.1} us {:>8.2} GB/s", 8.0 * count as f64 / time / 1e3);
    println!("{}\n{rows} x {columns}", device.properties());
    let mut times = vec![];
    for (what, entry, pitch) in [
        ("without workgroup memory", "direct", TILE),
        ("a tile with rows of 32 words", "tiled", TILE),
        ("a tile with rows of 33 words", "tiled", TILE + 1),
    ] {
        let text = format!("const PITCH = {pitch}u;\n{}", include_str!("kernels/transposition.wgsl"));
        let kernel = Kernel::wgsl_with(&text, Some(entry), &[])?;
        let mut result = Array::<u32>::empty(&device, &[columns as usize, rows as usize]);
        let launch = kernel.grid([columns / TILE, rows / TILE]).args((&x, &mut result, [columns, rows]));
        let time = timing::microseconds(&device, || launch.launch(&device))?;
        drop(launch);
        check(result.to_vec()?);
        say(what, time);
        times.push(time);
    }
    match times[1] / times[2] {
        gain if gain > 1.2 => println!("a word of padding makes the tile {gain:.1} times as fast"),
        gain => println!(
            "a word of padding makes the tile {gain:.1} times as fast: a processor's workgroup memory is memory like any \
             other and has no banks; a card shows the conflicts"
        ),
    }
    let gain = times[0] / times[2];
    if gain < 1.1 {
        println!(
            "without a tile it is {:.1} times as fast: caches do a tile's work; a card shows the tile's gain",
            1.0 / gain
        );
    }
    check(x.transpose().copy().to_vec()?);
    say("the library's transpose().copy()", timing::microseconds(&device, || x.transpose().copy().eval())?);
    println!("checked: all of them transpose");
    Ok(())
}
