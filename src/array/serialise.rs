//! Arrays as any format of the crate `serde`: a shape, and the elements in row-major order.

use super::{Array, HostArray};
use crate::element::Element;
use serde::de::{Deserialize, Deserializer, Error as _};
use serde::ser::{Error as _, Serialize, Serializer};

/// The elements are computed if need be, and fetched. What was written is read as a [`HostArray`], since an array needs a
/// device.
///
/// ```
/// # crosslane::example(|device| {
/// use crosslane::array::HostArray;
/// let text = serde_json::to_string(&device.array([1, 2, 3])).unwrap();
/// assert_eq!(text, r#"{"shape":[3],"values":[1,2,3]}"#);
/// let host: HostArray<i32> = serde_json::from_str(&text).unwrap();
/// assert_eq!(host.to_device(device).to_vec()?, [1, 2, 3]);
/// # Ok(()) });
/// ```
///
/// Errors: as [`Array::to_vec`], in the format's own type.
impl<T: Element + Serialize> Serialize for Array<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.to_host().map_err(S::Error::custom)?.serialize(serializer)
    }
}

#[derive(serde::Deserialize)]
#[serde(rename = "HostArray")]
struct Unchecked<T> {
    shape: Vec<usize>,
    values: Vec<T>,
}

/// Errors: a shape for another number of elements.
impl<'de, T: Deserialize<'de>> Deserialize<'de> for HostArray<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<HostArray<T>, D::Error> {
        let Unchecked { shape, values } = Unchecked::deserialize(deserializer)?;
        let (wanted, got) = (crosslane_core::layout::count(&shape), values.len());
        HostArray::new(&shape, values)
            .map_err(|_| D::Error::custom(format!("values: wanted {wanted} elements for shape {shape:?}, got {got}")))
    }
}
