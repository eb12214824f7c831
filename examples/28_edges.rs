//! A pipeline for images: colours to grey, smoothed, slopes by Sobel's filter, a threshold. Written as a PNG file.

mod timing;

use crosslane::array::PadMode;
use crosslane::{Array, Device, Result};

const SHAPE: [usize; 2] = [540, 960];

/// A bright disc on a dark ground that gets lighter to the right, as bytes of red, green and blue.
fn pixel(y: usize, x: usize) -> [u8; 3] {
    let (dy, dx) = (y as f64 - 270.0, x as f64 - 480.0);
    if dy * dy + dx * dx < 200.0 * 200.0 { [250, 200, 120] } else { [20, 30, 40 + (x / 16) as u8] }
}

fn main() -> Result<()> {
    env_logger::init_from_env(env_logger::Env::new().default_filter_or("crosslane=warn")); // advice is logged
    let device = Device::new()?;
    let [height, width] = SHAPE;
    let bytes: Vec<u8> = (0..height * width).flat_map(|i| pixel(i / width, i % width)).collect();
    let image = Array::from_shape(&device, &[height, width, 3], &bytes);
    // Rec. 601.
    let luma = Array::from_slice(&device, &[0.299f32, 0.587, 0.114]);
    let edges = || {
        let grey = (image.cast::<f32>() * &luma).sum_axes(-1);
        let smooth = grey.gaussian_filter(1.5, .., PadMode::Edge);
        let slope = |axis: isize| smooth.sobel(axis, PadMode::Edge).square();
        (slope(0) + slope(1)).greater(150.0f32 * 150.0)
    };
    let found = edges().cast::<u8>().to_vec()?;

    // All that is found is close to the circle, and all of the circle is found.
    let distance = |i: usize| {
        let (dy, dx) = ((i / width) as f64 - 270.0, (i % width) as f64 - 480.0);
        ((dy * dy + dx * dx).sqrt() - 200.0).abs()
    };
    assert!(found.iter().enumerate().all(|(i, &edge)| edge == 0 || distance(i) < 4.0), "an edge where none is");
    assert!(found.iter().enumerate().all(|(i, &edge)| edge == 1 || distance(i) > 1.0), "an edge is missed");
    println!("{}", device.properties());
    let time = timing::microseconds(&device, || edges().eval())?;
    println!("{width} x {height}: {:.1} million pixels a second", (height * width) as f64 / time);

    let path = std::env::temp_dir().join("crosslane-edges.png");
    let file = std::fs::File::create(&path).expect("the folder for temporary files can be written to");
    let mut encoder = png::Encoder::new(file, width as u32, height as u32);
    encoder.set_color(png::ColorType::Grayscale);
    let mut writer = encoder.write_header().expect("a file of this size can be written");
    let levels: Vec<u8> = found.iter().map(|edge| edge * 255).collect();
    writer.write_image_data(&levels).expect("a byte for each pixel");
    println!("{}", path.display());
    println!("checked: the edges are the circle");
    Ok(())
}
