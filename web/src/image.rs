//! Filters of an image: rotation, a Gaussian blur, edges by Sobel's filter, contrast.

use crate::{Page, Result};
use crosslane::array::{PadMode, WarpOptions};
use crosslane::{Array, Device};
use wasm_bindgen::prelude::wasm_bindgen;

/// What the page's sliders say.
#[wasm_bindgen]
#[derive(Clone, Copy)]
pub struct Filter {
    /// Degrees, anticlockwise.
    pub angle: f64,
    /// The blur's standard deviation, in pixels; none at 0.
    pub sigma: f64,
    /// How much of the result are edges, 0 to 1.
    pub edges: f32,
    /// 1 changes nothing.
    pub contrast: f32,
}

#[wasm_bindgen]
impl Filter {
    #[wasm_bindgen(constructor)]
    pub fn new(angle: f64, sigma: f64, edges: f32, contrast: f32) -> Filter {
        Filter { angle, sigma, edges, contrast }
    }
}

#[wasm_bindgen]
impl Page {
    /// Uploads the image: red, green and blue of each pixel.
    pub fn set_image(&mut self, pixels: &[u8], height: usize, width: usize) {
        self.image = Array::from_shape(&self.device, &[height, width, 3], pixels);
    }

    /// The image through a filter.
    pub async fn filter(&self, filter: Filter) -> Result<Vec<u8>> {
        Ok(filtered(&self.device, &self.image, filter).to_vec_async().await?)
    }
}

/// The image through a filter, deferred.
pub fn filtered(device: &Device, image: &Array<u8>, filter: Filter) -> Array<u8> {
    let mut x = image.cast::<f32>();
    if filter.angle != 0.0 {
        x = x.rotate(filter.angle, &WarpOptions::default().interleaved());
    }
    if filter.sigma > 0.0 {
        x = x.gaussian_filter(filter.sigma, [0, 1], PadMode::Edge);
    }
    if filter.edges > 0.0 {
        let shape = x.shape().to_vec();
        let gray = x.rgb_to_gray(-1);
        let slope = |axis: isize| gray.sobel(axis, PadMode::Edge) / 4.0;
        let edges = slope(0).hypot(slope(1)).reshape(&[shape[0], shape[1], 1]);
        let share = Array::full(device, &[1, 1, 1], filter.edges);
        x = &x * (1.0 - &share) + edges * share;
    }
    ((x - 128.0) * filter.contrast + 128.0).round().clamp(0.0, 255.0).cast::<u8>()
}
