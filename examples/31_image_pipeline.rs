//! A pipeline for large images: gray, half as large, smoothed, slopes, spread contrast, colours. Written as a PNG file.

mod timing;

use crosslane::array::{ColourMap, PadMode, Resampling, ResizeOptions};
use crosslane::device::DeviceKind;
use crosslane::{Array, Device, Result};

fn main() -> Result<()> {
    env_logger::init_from_env(env_logger::Env::new().default_filter_or("crosslane=warn")); // advice is logged
    let device = Device::new()?;
    // 4K on a card, an eighth of that on a processor.
    let part = if device.properties().kind == DeviceKind::Software { 8 } else { 1 };
    let [height, width] = [2160 / part, 3840 / part];
    let radius = height as f64 / 3.0;
    let distance = |y: usize, x: usize, height: usize, width: usize| {
        let (dy, dx) = (y as f64 - height as f64 / 2.0, x as f64 - width as f64 / 2.0);
        (dy * dy + dx * dx).sqrt()
    };
    // A bright disc on a dark ground that gets lighter to the right.
    let pixel = |y: usize, x: usize| match distance(y, x, height, width) < radius {
        true => [250, 200, 120],
        false => [20, 30, 40 + (x * 60 / width) as u8],
    };
    let bytes: Vec<u8> = (0..height * width).flat_map(|i| pixel(i / width, i % width)).collect();
    let image = Array::from_shape(&device, &[height, width, 3], &bytes);
    let [rows, columns] = [height / 2, width / 2];
    let pipeline = || {
        let half = image.rgb_to_gray(-1).resize([rows, columns], &ResizeOptions::default().by(Resampling::Bicubic));
        let smooth = half.cast::<f32>().gaussian_filter(1.5, .., PadMode::Edge);
        let slope = |axis: isize| smooth.sobel(axis, PadMode::Edge) / 8.0;
        let steepness = slope(0).hypot(slope(1)).round().clamp(0.0, 255.0).cast::<u8>();
        steepness.histogram_equalise([-2, -1])
    };
    let found = pipeline().to_vec()?;

    // The circle is bright, and nothing else is.
    let off = |i: usize| (distance(i / columns, i % columns, rows, columns) - radius / 2.0).abs();
    assert!(found.iter().enumerate().all(|(i, &level)| level < 128 || off(i) < 6.0), "an edge where none is");
    assert!(found.iter().enumerate().all(|(i, &level)| level > 128 || off(i) > 1.0), "an edge is missed");
    println!("{}", device.properties());
    let time = timing::microseconds(&device, || pipeline().colour_map(ColourMap::Inferno).eval())?;
    println!("{width} x {height}: {time:.0} us, {:.1} million pixels a second", (height * width) as f64 / time);

    let path = std::env::temp_dir().join("crosslane-pipeline.png");
    let file = std::fs::File::create(&path).expect("the folder for temporary files can be written to");
    let mut encoder = png::Encoder::new(file, columns as u32, rows as u32);
    encoder.set_color(png::ColorType::Rgb);
    let mut writer = encoder.write_header().expect("a file of this size can be written");
    let colours = pipeline().colour_map(ColourMap::Inferno).to_vec()?;
    writer.write_image_data(&colours).expect("three bytes for each pixel");
    println!("{}", path.display());
    println!("checked: the edges are the circle");
    Ok(())
}
