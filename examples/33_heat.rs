//! A heated plate: each step makes every point from its neighbours, some hundred steps in one submission. Beside a loop.

mod picture;
mod timing;

use crosslane::array::PadMode;
use crosslane::device::DeviceKind;
use crosslane::{Array, Device, Result, Stencil};

const STEPS: usize = 300;

/// Heat that enters a point of the plate in a step: along two bars.
fn source(side: usize, y: usize, x: usize) -> f32 {
    let on = |from: usize, to: usize| (from * side..to * side).contains(&(40 * y));
    let inside = (side / 8..side - side / 8).contains(&x);
    if inside && (on(10, 11) || on(25, 27)) { 1.0 } else { 0.0 }
}

/// One step on the processor. Past the edges it is cold.
fn step(side: usize, u: &[f32], source: &[f32], next: &mut [f32]) {
    let cold = vec![0.0; side];
    for y in 0..side {
        let row = |y: usize| &u[y * side..(y + 1) * side];
        let up = if y > 0 { row(y - 1) } else { &cold[..] };
        let down = if y + 1 < side { row(y + 1) } else { &cold[..] };
        let (here, at) = (row(y), y * side);
        for x in 0..side {
            let left = if x > 0 { here[x - 1] } else { 0.0 };
            let right = if x + 1 < side { here[x + 1] } else { 0.0 };
            next[at + x] = here[x] + 0.2 * (left + right + up[x] + down[x] - 4.0 * here[x]) + source[at + x];
        }
    }
}

fn loops(side: usize, source: &[f32]) -> Vec<f32> {
    let (mut now, mut next) = (vec![0.0; side * side], vec![0.0; side * side]);
    for _ in 0..STEPS {
        step(side, &now, source, &mut next);
        std::mem::swap(&mut now, &mut next);
    }
    now
}

fn main() -> Result<()> {
    env_logger::init_from_env(env_logger::Env::new().default_filter_or("crosslane=warn")); // advice is logged
    let device = Device::new()?;
    println!("{}", device.properties());
    timing::tell_debug_build();
    // Where the device is the processor itself, a plate that is done soon.
    let side = if device.properties().kind == DeviceKind::Software { 160 } else { 1024 };
    let sources: Vec<f32> = (0..side * side).map(|i| source(side, i / side, i % side)).collect();
    let heat =
        Stencil::of_fields(&["u", "source"], &["u + 0.2 * (u.left + u.right + u.up + u.down - 4.0 * u) + source"])?;
    let plate = Array::zeros(&device, &[side, side]);
    let there = Array::from_shape(&device, &[side, side], &sources);
    let run =
        || -> Result<Array<f32>> { Ok(heat.run_fields(&[&plate, &there], STEPS, PadMode::Constant(0.0))?.remove(0)) };
    let got = run()?.to_vec()?;

    // A step's rounding is a few units in the last place; a step's weights add up to 1, so that errors add up and do not grow.
    let wanted = loops(side, &sources);
    let most = wanted.iter().fold(0.0f32, |most, &u| most.max(u));
    let bound = STEPS as f32 * 4.0 * f32::EPSILON * most;
    assert!(got.iter().zip(&wanted).all(|(got, wanted)| (got - wanted).abs() <= bound), "more than {bound} apart");

    let on_device = timing::microseconds(&device, || run()?.eval())?;
    let on_processor = timing::of_processor(|| loops(side, &sources));
    println!("{STEPS} steps of {side} x {side}, in microseconds");
    println!("loop on one thread of the processor {on_processor:10.1}");
    println!("stencil, one submission             {on_device:10.1}");
    match on_processor / on_device {
        gain if gain > 1.0 => println!("the stencil is {gain:.1} times as fast"),
        gain => println!(
            "the loop wins here ({gain:.2} times as fast): its plate stays in the processor's cache, and each step's launch \
             costs more than its work; a card, with its plate of 1024 x 1024, shows the gain"
        ),
    }
    let levels: Vec<u8> = got.iter().map(|u| (255.0 * u / most) as u8).collect();
    picture::save_grey("crosslane-heat.png", side, &levels);
    println!("checked: the plate is as warm as the loop makes it");
    Ok(())
}
