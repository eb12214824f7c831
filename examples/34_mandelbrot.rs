//! Where to begin with a loop that takes long: measure, move the part that takes the time, then keep its results there.

mod picture;
mod timing;

use crosslane::{Array, Device, Elementwise, Result};

const SHAPE: [usize; 2] = [240, 320];
const LIMIT: u32 = 200;
const LEFT: f32 = -2.2;
const TOP: f32 = -1.2;
/// From one pixel to the next.
const PITCH: f32 = 1.0 / 128.0;

/// Steps until a point escapes, on the processor.
fn escape(x: f32, y: f32) -> u32 {
    let (mut a, mut b, mut steps) = (0.0f32, 0.0f32, 0);
    while steps < LIMIT && a * a + b * b <= 4.0 {
        (a, b) = (a * a - b * b + x, 2.0 * a * b + y);
        steps += 1;
    }
    steps
}

/// The same as a text: parameters are elements of arrays, or numbers.
const ESCAPE: &str = "
    var a = 0.0;
    var b = 0.0;
    var steps = 0u;
    while steps < limit && a * a + b * b <= 4.0 {
        let next = a * a - b * b + x;
        b = 2.0 * a * b + y;
        a = next;
        steps += 1u;
    }
    steps";

/// Brightness of a count of steps.
fn shade(steps: u32) -> u8 {
    if steps == LIMIT { 0 } else { (255.0 * (steps as f32 / LIMIT as f32).sqrt()) as u8 }
}

fn main() -> Result<()> {
    env_logger::init_from_env(env_logger::Env::new().default_filter_or("crosslane=warn")); // advice is logged
    let device = Device::new()?;
    println!("{}", device.properties());
    timing::tell_debug_build();
    let [height, width] = SHAPE;
    let coordinate = |first: f32, count: usize| -> Vec<f32> { (0..count).map(|i| first + i as f32 * PITCH).collect() };
    let (columns, rows) = (coordinate(LEFT, width), coordinate(TOP, height));

    // First the program as it is, and where its time goes.
    let loops = || -> Vec<u32> { rows.iter().flat_map(|&y| columns.iter().map(move |&x| escape(x, y))).collect() };
    let wanted = loops();
    let counting = timing::of_processor(loops);
    let shading = timing::of_processor(|| wanted.iter().map(|&steps| shade(steps)).collect::<Vec<u8>>());
    println!("{width} x {height} points, in microseconds");
    println!("processor, one thread: steps           {counting:10.1}");
    println!("processor, one thread: shades          {shading:10.1}");

    // Then the loop that takes the time: a row of x and a column of y broadcast to the picture.
    let text = Elementwise::new("x: f32, y: f32, limit: u32", ESCAPE)?;
    let x = Array::from_slice(&device, &columns);
    let y = Array::from_shape(&device, &[height, 1], &rows);
    let steps = || text.call::<u32>((&x, &y, LIMIT));
    let got = steps()?.to_vec()?;
    check(&got, &wanted);
    let moved = timing::microseconds(&device, || {
        let steps = steps()?.to_vec()?;
        std::hint::black_box(steps.iter().map(|&steps| shade(steps)).collect::<Vec<u8>>());
        Ok(())
    })?;
    println!("steps on the device, shades here       {moved:10.1}");

    // Last what follows it, so that bytes come back instead of words. It fuses.
    let shades = || -> Result<Array<u8>> {
        let steps = steps()?;
        let bright = (steps.cast::<f32>() / LIMIT as f32).sqrt() * 255.0;
        Ok(steps.equal(LIMIT).select(0.0, &bright).cast::<u8>())
    };
    assert_eq!(shades()?.explain()?.steps.len(), 1, "kernels");
    let levels = shades()?.to_vec()?;
    // A square root may differ in the last place, and so may a shade.
    let far = levels.iter().zip(&got).filter(|(level, steps)| level.abs_diff(shade(**steps)) > 1).count();
    assert_eq!(far, 0, "shades are not those of the steps");
    let all = timing::microseconds(&device, || shades()?.to_vec().map(drop))?;
    println!("steps and shades on the device         {all:10.1}");
    if all > 0.9 * moved {
        println!(
            "the last step makes it {:.1} times as fast here: shades are little work, no bus carries their bytes, and an \
             invocation makes four of them, which are a word; a card shows the gain",
            moved / all
        );
    }
    match (counting + shading) / all {
        gain if gain > 1.0 => println!("gain: {gain:.1} times"),
        gain => {
            println!("no gain here ({gain:.2} times as fast): compiled, on the cpu engine too, or on a card it gains")
        }
    }
    picture::save_grey("crosslane-mandelbrot.png", width, &levels);
    println!("checked: points escape after the steps that the loop counts");
    Ok(())
}

/// A device may fuse a product and a sum. Close to the border of the set that changes a count.
fn check(got: &[u32], wanted: &[u32]) {
    let differ = got.iter().zip(wanted).filter(|(got, wanted)| got != wanted).count();
    assert!(differ * 50 <= wanted.len(), "{differ} of {} counts differ", wanted.len());
    // 0 is in the set, and the picture's left upper corner leaves the circle at once.
    let of = |x: f32, y: f32| got[((y - TOP) / PITCH) as usize * SHAPE[1] + ((x - LEFT) / PITCH) as usize];
    assert_eq!((of(0.0, 0.0), got[0]), (LIMIT, escape(LEFT, TOP)));
}
