//! An expression of the visitor's, fused into one kernel over a million elements.

use crate::{Page, Result};
use crosslane::{Array, Elementwise};
use wasm_bindgen::prelude::wasm_bindgen;

/// Elements that it is evaluated over.
pub const ELEMENTS: usize = 1 << 20;

/// An expression's values and how they came about.
#[wasm_bindgen(getter_with_clone)]
pub struct Evaluated {
    /// Of all elements.
    pub values: Vec<f32>,
    pub mean: f32,
    /// The kernels of the values alone: their WGSL.
    pub wgsl: String,
    pub kernels: usize,
}

#[wasm_bindgen]
impl Page {
    /// Evaluates an expression of `x`, from -4 to 4, and of the numbers `a` and `b`.
    pub async fn evaluate(&self, text: &str, a: f32, b: f32) -> Result<Evaluated> {
        let x = Array::linspace(&self.device, -4.0f32, 4.0, ELEMENTS);
        let y: Array<f32> = Elementwise::new("x, a, b", text)?.call((&x, a, b))?;
        let plan = y.explain()?;
        let kernels: Vec<_> = plan.steps.iter().flat_map(|step| &step.kernels).collect();
        let wgsl = kernels.iter().map(|(_, _, wgsl)| wgsl.trim()).collect::<Vec<_>>().join("\n\n");
        let kernels = kernels.len();
        let mean = y.mean();
        let (values, mean) = (y.to_vec_async().await?, mean.to_vec_async().await?[0]);
        Ok(Evaluated { values, mean, wgsl, kernels })
    }
}
