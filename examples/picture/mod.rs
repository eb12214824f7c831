//! A picture in shades of grey, as a PNG file among the temporary files.

/// Writes the file, a byte for each pixel, row by row, and says where.
pub fn save_grey(name: &str, width: usize, levels: &[u8]) {
    let path = std::env::temp_dir().join(name);
    let file = std::fs::File::create(&path).expect("the folder for temporary files can be written to");
    let mut encoder = png::Encoder::new(file, width as u32, (levels.len() / width) as u32);
    encoder.set_color(png::ColorType::Grayscale);
    let mut writer = encoder.write_header().expect("a file of this size can be written");
    writer.write_image_data(levels).expect("a byte for each pixel");
    println!("{}", path.display());
}
