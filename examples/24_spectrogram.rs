//! The spectrogram of a chirp, whose frequency rises from 0 to half the rate, as a PNG file.

mod timing;

use crosslane::array::{SpectrumOptions, Window};
use crosslane::{Array, Device, Result};

fn main() -> Result<()> {
    env_logger::init_from_env(env_logger::Env::new().default_filter_or("crosslane=warn")); // advice is logged
    let device = Device::new()?;
    let count = 1 << 18;
    // The phase is a quarter of a turn times k^2 / n: in doubles, as f32 has no room for so many turns.
    let sample = |k: usize| ((k * k % (4 * count)) as f64 / (4 * count) as f64 * std::f64::consts::TAU).sin() as f32;
    let x = Array::from_slice(&device, &(0..count).map(sample).collect::<Vec<f32>>());
    let pieces = SpectrumOptions::new(512).step(256).window(Window::Hann);
    let spectra = || x.stft(&pieces).abs();
    let sizes = spectra();
    let (&[rows, columns], loudest) = (sizes.shape(), sizes.arg_max_axes(1).to_vec()?) else {
        unreachable!("two axes")
    };
    println!("{}\n{rows} pieces of 512 samples, {columns} frequencies", device.properties());
    // The middle of piece p is sample 256 p + 256, whose frequency is half of k / n: in steps of a rate / 512.
    let wanted = |piece: usize| (256 * piece + 256) as f64 / count as f64 / 2.0 * 512.0;
    let wrong = loudest.iter().enumerate().filter(|(p, found)| (**found as f64 - wanted(*p)).abs() > 1.5).count();
    assert_eq!(wrong, 0, "the loudest frequency of some pieces is not the chirp's");
    let time = timing::microseconds(&device, || spectra().eval())?;
    println!("{:.1} million samples a second", count as f64 / time);

    // Decibels from -80 to 0 as brightness; low frequencies at the bottom.
    let levels = ((sizes + 1e-9).log10() * 20.0 - 42.0 + 80.0) * (255.0 / 80.0);
    let levels = levels.clamp(0.0, 255.0).cast::<u8>().transpose().flip(0).to_vec()?;
    let path = std::env::temp_dir().join("crosslane-chirp.png");
    let file = std::fs::File::create(&path).expect("the folder for temporary files can be written to");
    let mut encoder = png::Encoder::new(file, rows as u32, columns as u32);
    encoder.set_color(png::ColorType::Grayscale);
    let mut writer = encoder.write_header().expect("a file of this size can be written");
    writer.write_image_data(&levels).expect("a byte for each point");
    println!("{}", path.display());
    println!("checked: each piece is loudest at the chirp's frequency");
    Ok(())
}
