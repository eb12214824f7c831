//! Many images of one size are blurred at once: bytes in, bytes out, a launch for each axis. The first is written as PNG files.

mod timing;

use crosslane::array::PadMode;
use crosslane::{Array, Device, Result};
use std::path::PathBuf;

const IMAGES: usize = 16;
const SIDE: usize = 256;

fn main() -> Result<()> {
    env_logger::init_from_env(env_logger::Env::new().default_filter_or("crosslane=warn")); // advice is logged
    let device = Device::new()?;
    // Rings around a point that is another one in each image.
    let pixel = |image: usize, y: usize, x: usize| {
        let (dy, dx) = (y as f64 - (8 * image) as f64, x as f64 - SIDE as f64 / 2.0);
        if ((dy * dy + dx * dx).sqrt() / 6.0).rem_euclid(2.0) < 1.0 { 230u8 } else { 20 }
    };
    let host: Vec<u8> =
        (0..IMAGES * SIDE * SIDE).map(|i| pixel(i / (SIDE * SIDE), i / SIDE % SIDE, i % SIDE)).collect();
    let images = Array::from_shape(&device, &[IMAGES, SIDE, SIDE], &host);
    let sigma = 2.0;
    let blurred = || {
        let values = images.cast::<f32>().gaussian_filter(sigma, [1, 2], PadMode::Edge);
        (values + 0.5).clamp(0.0, 255.0).cast::<u8>()
    };
    let result = blurred().to_vec()?;

    // By the definition, in doubles, at some places.
    let radius = (4.0 * sigma + 0.5) as i64;
    let bell = |t: i64| (-0.5 * (t as f64 / sigma).powi(2)).exp();
    let sum: f64 = (-radius..=radius).map(bell).sum();
    let at = |k: i64| k.clamp(0, SIDE as i64 - 1) as usize;
    for place in (0..result.len()).step_by(9973).chain([0, result.len() - 1]) {
        let (image, y, x) = (place / (SIDE * SIDE), (place / SIDE % SIDE) as i64, (place % SIDE) as i64);
        let row =
            |dy: i64| (-radius..=radius).map(|dx| bell(dx) * pixel(image, at(y + dy), at(x + dx)) as f64).sum::<f64>();
        let wanted = (-radius..=radius).map(|dy| bell(dy) * row(dy)).sum::<f64>() / (sum * sum);
        assert!((result[place] as f64 - wanted).abs() < 0.51, "{place}: {}, wanted {wanted}", result[place]);
    }
    println!("{}", device.properties());
    let time = timing::microseconds(&device, || blurred().eval())?;
    println!("{IMAGES} images of {SIDE} x {SIDE}: {:.1} million pixels a second", host.len() as f64 / time);
    println!("{}", save("crosslane-rings.png", &host[..SIDE * SIDE]).display());
    println!("{}", save("crosslane-rings-blurred.png", &result[..SIDE * SIDE]).display());
    println!("checked: {} pixels are the bell's means, rounded", result.len() / 9973 + 2);
    Ok(())
}

fn save(name: &str, pixels: &[u8]) -> PathBuf {
    let path = std::env::temp_dir().join(name);
    let file = std::fs::File::create(&path).expect("the folder for temporary files can be written to");
    let mut encoder = png::Encoder::new(file, SIDE as u32, SIDE as u32);
    encoder.set_color(png::ColorType::Grayscale);
    let mut writer = encoder.write_header().expect("a file of this size can be written");
    writer.write_image_data(pixels).expect("a byte for each pixel");
    path
}
