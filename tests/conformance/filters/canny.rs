//! Canny's edges against scikit-image's, kept in `canny.json`.

use super::{array, numbers, shape};
use crate::support::*;
use crosslane::Array;
use serde_json::Value;

const TABLE: &str = include_str!("canny.json");

/// The images have no two slopes so close that f32 takes one for the other: scikit-image has the same edges of them in f32.
#[test]
fn as_scikit_image() {
    let table: Value = serde_json::from_str(TABLE).unwrap();
    for device in devices() {
        let rows = table["rows"].as_array().unwrap();
        let every = if compiles_slowly(device) { 3 } else { 1 };
        for row in rows.iter().step_by(every) {
            let host: Vec<f64> = numbers(&row["x"]).iter().map(|value| value / 256.0).collect();
            let (args, shape) = (numbers(&row["args"]), shape(&row["shape"]));
            let edges = array(device, &shape, &host).canny(args[0], args[1] as f32, args[2] as f32);
            let wanted: Vec<bool> = numbers(&row["result"]).iter().map(|&edge| edge != 0.0).collect();
            let what = format!("{shape:?} by {args:?} on {}", name(device));
            assert_eq!(edges.shape(), shape, "{what}");
            assert_eq!(edges.to_vec().unwrap(), wanted, "{what}");
            if device.caps().f64 {
                let edges = Array::from_shape(device, &shape, &host).canny(args[0], args[1], args[2]);
                assert_eq!(edges.to_vec().unwrap(), wanted, "{what}, f64");
            }
        }
    }
}

#[test]
fn mistakes_are_told() {
    for device in quick() {
        let x = Array::<f32>::ones(device, &[4, 5]);
        let told = |array: &Array<bool>, parts: &[&str]| {
            let error = held(array).to_string();
            assert!(parts.iter().all(|part| error.contains(part)), "{error}");
        };
        told(&x.flatten().canny(1.0, 0.1, 0.2), &["canny", "two axes", "[20]"]);
        told(&x.canny(0.0, 0.1, 0.2), &["sigma"]);
        told(&x.canny(1.0, 0.3, 0.2), &["canny", "high", "0.2"]);
        told(&x.canny(1.0, f32::NAN, 0.2), &["canny", "NaN"]);
        told(&x.canny(1.0, -0.1, 0.2), &["canny", "-0.1"]);
        assert_eq!(Array::<f32>::ones(device, &[0, 5]).canny(1.0, 0.1, 0.2).shape(), [0, 5], "on {}", name(device));
        assert_eq!(x.canny(1.0, 0.1, 0.2).to_vec().unwrap(), [false; 20], "a level image has no edges");
    }
}
