//! What the page calls: a device of the browser, and three things to compute with it.

mod checks;
mod expression;
mod image;
mod sort;

use crosslane::{Array, Device};
use std::panic;
use wasm_bindgen::prelude::{JsError, JsValue, wasm_bindgen};

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_namespace = console)]
    fn error(text: &str);
}

/// What a call from JavaScript returns: an error becomes an exception with its words.
type Result<T> = std::result::Result<T, JsError>;

/// The device, and the image that filters work on.
#[wasm_bindgen]
pub struct Page {
    device: Device,
    image: Array<u8>,
}

#[wasm_bindgen]
impl Page {
    /// Opens the browser's device.
    pub async fn open() -> Result<Page> {
        panic::set_hook(Box::new(|info| error(&info.to_string())));
        let device = Device::open_async("").await?;
        Ok(Page { image: Array::zeros(&device, &[1, 1, 3]), device })
    }

    /// The device's name, API and kind.
    pub fn name(&self) -> String {
        self.device.properties().to_string()
    }

    /// What is computed here and compared, in the form of JSON: the name of each check, and what is wrong.
    pub async fn checks(&self) -> JsValue {
        checks::all(&self.device).await.into()
    }
}
