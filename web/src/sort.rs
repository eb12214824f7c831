//! The library's sort, to race against JavaScript's.

use crate::{Page, Result};
use crosslane::Array;
use wasm_bindgen::prelude::wasm_bindgen;

#[wasm_bindgen]
impl Page {
    /// Uploads numbers, sorts them, and copies them back.
    pub async fn sort(&self, numbers: &[u32]) -> Result<Vec<u32>> {
        Ok(Array::from_slice(&self.device, numbers).sort().to_vec_async().await?)
    }
}
