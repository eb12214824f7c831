//! Printed arrays against what NumPy prints, kept in `tests/numpy/printed.json` by `printed.py`.

use crate::support::*;
use crosslane::op::Scalar;
use crosslane::{Array, DType, Device, Element, f16, s};
use serde_json::Value as Json;

fn printed<T: Element>(device: &Device, case: &Json) -> String {
    let numbers = |key: &str| case[key].as_array().unwrap().iter();
    let shape: Vec<usize> = numbers("shape").map(|extent| extent.as_u64().unwrap() as usize).collect();
    let element =
        |bits: &Json| T::from_scalar(Scalar { dtype: T::DTYPE, bits: bits.as_str().unwrap().parse().unwrap() });
    Array::from_shape(device, &shape, &numbers("bits").map(element).collect::<Vec<T>>()).to_string()
}

#[test]
fn as_numpy_prints() {
    let cases: Json = serde_json::from_str(include_str!("../numpy/printed.json")).unwrap();
    for device in drivers() {
        let mut seen = 0;
        for case in cases.as_array().unwrap() {
            let dtype = DType::ALL.into_iter().find(|dtype| dtype.name() == case["dtype"]).unwrap();
            // Edges of arrays take kernels.
            if !has(device, dtype) || compiles_slowly(device) && case["bits"].as_array().unwrap().len() > 1500 {
                continue;
            }
            let print = match dtype {
                DType::F16 => printed::<f16>,
                DType::F32 => printed::<f32>,
                DType::F64 => printed::<f64>,
                DType::I32 => printed::<i32>,
                DType::I64 => printed::<i64>,
                DType::U8 => printed::<u8>,
                DType::U16 => printed::<u16>,
                DType::U32 => printed::<u32>,
                DType::U64 => printed::<u64>,
                DType::Bool => printed::<bool>,
                other => panic!("{other} has no test"),
            };
            let (got, wanted) = (print(device, case), case["text"].as_str().unwrap());
            assert_eq!(got, wanted, "{dtype} {} on {}", case["shape"], name(device));
            seen += 1;
        }
        assert!(seen > 60, "{seen} on {}", name(device));
    }
}

#[test]
fn only_what_is_printed_is_computed() {
    for device in quick() {
        // No device holds so much.
        let x = device.array([1.5f32, 2.0]).reshape(&[2, 1]).broadcast_to(&[2, 1 << 40]) * 2.0;
        assert!(x.eval().is_err(), "on {}", name(device));
        assert_eq!(x.to_string(), "[[3. 3. 3. ... 3. 3. 3.]\n [4. 4. 4. ... 4. 4. 4.]]", "on {}", name(device));
    }
}

#[test]
fn mistakes_and_views_and_precision() {
    for device in quick() {
        let x = device.array([1.0f32, 2.0, 3.0]);
        let error = (&x + &device.array([1.0f32; 4])).to_string();
        assert!(error.starts_with("Array(error: ") && error.contains("[3] and [4]"), "{error}");
        let late = x.take(&device.array([9u32]), crosslane::array::OutOfRange::Error).to_string();
        assert!(late.starts_with("Array(error: ") && late.contains("got 9"), "{late}");
        assert_eq!(format!("{:.2}", (&x / 3.0).slice(s![..;-1])), "[1.   0.67 0.33]");
        assert_eq!(format!("{:.2}", (&x / 3.0).slice(s![0])), "0.33");
        assert_eq!(x.compress(&x.greater(1.0)).to_string(), "[2. 3.]");
        assert_eq!(format!("{x:?}"), format!("Array<f32>([3] on {})", device.properties().label()));
    }
}
