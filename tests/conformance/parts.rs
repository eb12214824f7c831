//! Numbers in parts, as NumPy takes them apart: `frexp`, `ldexp`, `signbit`, `divmod`; and what is no number replaced.

use crate::support::*;
use crosslane::{Array, DType, f16, s};

/// NumPy 2.4's `frexp`, `ldexp`, `signbit`, `nan_to_num`, `divmod`.
#[test]
fn parts_of_numbers_are_numpys() {
    let tiny = f32::from_bits(1);
    for device in devices() {
        let what = name(device);
        let x = [0.0, -0.0, 3.0, -1024.0, tiny, f32::MIN_POSITIVE, f32::MAX, f32::INFINITY, f32::NAN, -1e-40];
        let array = Array::from_slice(device, &x);
        let (mantissas, exponents) = array.frexp();
        let (mantissas, exponents) = (mantissas.to_vec().unwrap(), exponents.to_vec().unwrap());
        let wanted = [0.0, -0.0, 0.75, -0.5, 0.5, 0.5, 1.0 - 2f32.powi(-24), f32::INFINITY];
        assert_eq!(mantissas[..8].iter().map(|m| m.to_bits()).collect::<Vec<_>>(), wanted.map(f32::to_bits), "{what}");
        assert!(mantissas[8].is_nan() && mantissas[9] == libm::frexpf(-1e-40).0, "{what}");
        assert_eq!(exponents, [0, 0, 2, 11, -148, -125, 128, 0, 0, -132], "{what}");
        let signs = [false, true, false, true, false, false, false, false];
        assert_eq!(array.signbit().to_vec().unwrap()[..8], signs, "{what}");
        // Rounded once to denormal numbers, ties to even, and back to what overflows.
        let some = [1.0f32, 3.0, 5.0, 1.5, -1.999_999_9, tiny, 1e-40, 1.0, 1.0, 0.0];
        let powers = [-149, -150, -150, -149, -127, 276, 133, 128, i32::MIN, i32::MAX];
        let got = Array::from_slice(device, &some).ldexp(Array::from_slice(device, &powers)).to_vec().unwrap();
        let wanted =
            [tiny, 2.0 * tiny, 2.0 * tiny, 2.0 * tiny, -1.175_494_4e-38, 2f32.powi(127), libm::scalbnf(1e-40, 133)];
        assert_eq!(got[..7].iter().map(|x| x.to_bits()).collect::<Vec<_>>(), wanted.map(f32::to_bits), "{what}");
        assert_eq!(got[7..], [f32::INFINITY, 0.0, 0.0], "{what}");
        let ends = Array::from_slice(device, &[f32::NAN, f32::INFINITY, -f32::INFINITY, -0.0, tiny]);
        let got: Vec<u32> = ends.nan_to_num().to_vec().unwrap().into_iter().map(f32::to_bits).collect();
        assert_eq!(got, [0.0, f32::MAX, f32::MIN, -0.0, tiny].map(f32::to_bits), "{what}");
        let given = ends.slice(s![..3]).nan_to_num_with(1.0, 2.0, 3.0);
        assert_eq!(given.to_vec().unwrap(), [1.0, 2.0, 3.0], "{what}");
        let (quotients, rests) =
            Array::from_slice(device, &[5, -5, 5, -5, i32::MIN]).divmod(Array::from_slice(device, &[3, 3, -3, 0, -1]));
        assert_eq!(quotients.to_vec().unwrap(), [1, -2, -2, 0, i32::MIN], "{what}");
        assert_eq!(rests.to_vec().unwrap(), [2, 1, -1, 0, 0], "{what}");
        let (quotients, rests) = Array::from_slice(device, &[5.5f32, -5.5, 5.5, -1.0])
            .divmod(Array::from_slice(device, &[2.0, 2.0, -2.0, 0.0]));
        assert_eq!(quotients.to_vec().unwrap(), [2.0, -3.0, -3.0, f32::NEG_INFINITY], "{what}");
        let rests = rests.to_vec().unwrap();
        assert!(rests[..3] == [1.5, 0.5, -0.5] && rests[3].is_nan(), "{what}: {rests:?}");
    }
}

#[test]
fn parts_of_doubles_and_halves_are_numpys() {
    for device in devices() {
        let what = name(device);
        if has(device, DType::F64) {
            let x = [5e-324, -3.0, f64::MAX, f64::INFINITY, 0.0, 2.2e-308];
            let (mantissas, exponents) = Array::from_slice(device, &x).frexp();
            assert_eq!(exponents.to_vec().unwrap(), [-1073, 2, 1024, 0, 0, -1022], "{what}");
            let wanted = [0.5, -0.75, 1.0 - 2f64.powi(-53), f64::INFINITY, 0.0, libm::frexp(2.2e-308).0];
            assert_eq!(mantissas.to_vec().unwrap(), wanted, "{what}");
            let some = [1.0, 3.0, 5e-324, 1.0, -1.0, 1.0, f64::NEG_INFINITY];
            let powers = [-1074, -1075, 2097, 1024, -1076, 1023, 3];
            let got = Array::from_slice(device, &some).ldexp(Array::from_slice(device, &powers)).to_vec().unwrap();
            let wanted = [5e-324, 1e-323, 2f64.powi(1023), f64::INFINITY, -0.0, 2f64.powi(1023), f64::NEG_INFINITY];
            assert_eq!(got, wanted, "{what}");
            let ends = Array::from_slice(device, &[f64::NAN, f64::INFINITY, f64::NEG_INFINITY]).nan_to_num();
            assert_eq!(ends.to_vec().unwrap(), [0.0, f64::MAX, f64::MIN], "{what}");
        }
        if has(device, DType::F16) {
            let x = Array::from_slice(device, &[f16::from_f32(-3.0), f16::from_bits(1), f16::MAX, f16::INFINITY]);
            let (mantissas, exponents) = x.frexp();
            assert_eq!(exponents.to_vec().unwrap(), [2, -23, 16, 0], "{what}");
            let wanted = [-0.75, 0.5, 0.999_511_7, f32::INFINITY];
            assert_eq!(mantissas.cast::<f32>().to_vec().unwrap(), wanted, "{what}");
            let more = x.slice(s![..2]).ldexp(4).cast::<f32>().to_vec().unwrap();
            assert_eq!(more, [-48.0, 2f32.powi(-20)], "{what}");
            assert_eq!(x.nan_to_num().cast::<f32>().to_vec().unwrap()[3], 65504.0, "{what}");
        }
    }
}
