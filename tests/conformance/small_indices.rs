//! Indices of 8 and 16 bits, as those of 32, wherever indices are taken: along axes, out of range, counted from the end.

use crate::support::*;
use crosslane::array::{ArrayIndex, OutOfRange, Scan};
use crosslane::ops::Combine;
use crosslane::{Array, Device};
use rand::Rng;

const OUTSIDE: [OutOfRange; 3] = [OutOfRange::Clamp, OutOfRange::Wrap, OutOfRange::Drop];

/// Indices of two types that are the same numbers.
fn both<I: ArrayIndex, W: ArrayIndex>(device: &Device, shape: &[usize], numbers: &[i128]) -> (Array<I>, Array<W>) {
    let [small, wide] = [numbers, numbers];
    let small: Vec<I> = small.iter().map(|&n| of(n)).collect();
    let wide: Vec<W> = wide.iter().map(|&n| of(n)).collect();
    (Array::from_shape(device, shape, &small), Array::from_shape(device, shape, &wide))
}

/// `W` is known to be right.
fn as_wide<I: ArrayIndex, W: ArrayIndex>(device: &Device, bits: u32) {
    let mut rng = random(bits as u64);
    let signed = signed::<I>();
    let most = 1i128 << (bits - signed as u32);
    let least = if signed { -most } else { 0 };
    let what = format!("{} on {}", I::DTYPE, name(device));
    let x = Array::from_shape(device, &[7, 5], &small::<i32>(35));
    let wild: Vec<i128> = (0..35).map(|_| rng.random_range(least..most)).chain([least, most - 1]).collect();
    for outside in OUTSIDE {
        let (narrow, wide) = both::<I, W>(device, &[37], &wild);
        let check = |got: Array<i32>, wanted: Array<i32>, how: &str| {
            assert_eq!(got.to_vec().unwrap(), wanted.to_vec().unwrap(), "{how} {outside:?}, {what}");
        };
        check(x.take(&narrow, outside), x.take(&wide, outside), "take");
        check(x.take_axis(&narrow, 0, outside), x.take_axis(&wide, 0, outside), "take_axis");
        let ones = Array::full(device, &[], 1);
        check(x.scatter_add(&narrow, &ones, outside), x.scatter_add(&wide, &ones, outside), "scatter_add");
        check(x.put(&narrow, &ones, outside), x.put(&wide, &ones, outside), "put");
        let (narrow, wide) = both::<I, W>(device, &[7, 5], &wild[..35]);
        check(x.take_along_axis(&narrow, 1, outside), x.take_along_axis(&wide, 1, outside), "take_along_axis");
        check(
            x.put_along_axis(&narrow, &ones, 1, outside),
            x.put_along_axis(&wide, &ones, 1, outside),
            "put_along_axis",
        );
    }
    let (narrow, wide) = both::<I, W>(device, &[3], &[2, 0, 6]);
    let rows = Array::full(device, &[3, 5], 1);
    let sums = x.scatter_max_axis(&narrow, &rows, 0, OutOfRange::Error);
    assert_eq!(
        sums.to_vec().unwrap(),
        x.scatter_max_axis(&wide, &rows, 0, OutOfRange::Error).to_vec().unwrap(),
        "{what}"
    );
    let ordered = |sum: Array<i32>| sum.to_vec().unwrap();
    let values = Array::from_slice(device, &[5, 6, 7]);
    let [got, wanted] = [
        ordered(x.scatter_ordered(&narrow, &values, Combine::Add, OutOfRange::Error)),
        ordered(x.scatter_ordered(&wide, &values, Combine::Add, OutOfRange::Error)),
    ];
    assert_eq!(got, wanted, "{what}");
    // Segments.
    let flat = x.flatten();
    let (narrow, wide) = both::<I, W>(device, &[5], &[0, 4, 4, 20, 35]);
    for (got, wanted) in [
        (Scan::sum().reduce_segments::<_, i32>(&flat, &narrow), Scan::sum().reduce_segments(&flat, &wide)),
        (Scan::max().reverse().reduce_segments(&flat, &narrow), Scan::max().reverse().reduce_segments(&flat, &wide)),
        (Scan::sum().call_offsets(&flat, &narrow), Scan::sum().call_offsets(&flat, &wide)),
        (flat.sort_segments(&narrow), flat.sort_segments(&wide)),
        (flat.argsort_segments(&narrow).cast(), flat.argsort_segments(&wide).cast()),
    ] {
        assert_eq!(got.to_vec().unwrap(), wanted.to_vec().unwrap(), "{what}");
    }
}

#[test]
fn as_those_of_32_bits() {
    for device in drivers() {
        spoil(device);
        as_wide::<u8, u32>(device, 8);
        as_wide::<i8, i32>(device, 8);
        if !compiles_slowly(device) {
            as_wide::<u16, u32>(device, 16);
            as_wide::<i16, i32>(device, 16);
        }
    }
}

/// NumPy's `x[[-1, 0, -3]]`, a whole axis of 256 by bytes, and indices out of range.
#[test]
fn from_the_end_and_out_of_range() {
    for device in apis() {
        let x = Array::from_slice(device, &[10, 20, 30]);
        let from_end = Array::from_slice(device, &[-1i8, 0, -3]);
        assert_eq!(x.take(&from_end, OutOfRange::Error).to_vec().unwrap(), [30, 10, 10]);
        let all: Vec<u8> = (0..=255).rev().collect();
        let long = Array::<i32>::arange(device, 0, 300, 1);
        let reversed: Vec<i32> = (0..256).rev().collect();
        assert_eq!(long.take(&Array::from_slice(device, &all), OutOfRange::Error).to_vec().unwrap(), reversed);
        let error =
            x.take(&Array::from_slice(device, &[1i16, -4]), OutOfRange::Error).to_vec().unwrap_err().to_string();
        assert!(error.contains("wanted -3 to 2, got -4"), "{error} on {}", name(device));
        let error = x.take(&Array::from_slice(device, &[255u8]), OutOfRange::Error).to_vec().unwrap_err().to_string();
        assert!(error.contains("wanted 0 to 2, got 255"), "{error} on {}", name(device));
        let none = x.take(&Array::<u16>::zeros(device, &[0, 2]), OutOfRange::Error);
        assert_eq!((none.shape(), none.to_vec().unwrap()), (&[0, 2][..], vec![]));
    }
}
