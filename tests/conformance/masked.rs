//! Operators of masks, scalars on the left, and assignment through masks, against plain loops.

use crate::support::*;
use crosslane::{Array, Device, ErrorKind, s};

#[test]
fn mask_operators_in_every_pairing() {
    for device in quick() {
        let (p, q) = ([true, true, false, false], [true, false, true, false]);
        let (a, b) = (device.array(p), device.array(q));
        let check = |got: Array<bool>, of: fn(bool, bool) -> bool| {
            let wanted: Vec<bool> = p.iter().zip(&q).map(|(&p, &q)| of(p, q)).collect();
            assert_eq!(got.to_vec().unwrap(), wanted, "on {}", name(device));
        };
        check(&a & &b, |p, q| p & q);
        check(&a & b.clone(), |p, q| p & q);
        check(a.clone() & &b, |p, q| p & q);
        check(a.clone() & b.clone(), |p, q| p & q);
        check(&a | b.clone(), |p, q| p | q);
        check(a.clone() ^ &b, |p, q| p ^ q);
        check(!&a, |p, _| !p);
        check(!a.clone(), |p, _| !p);
        check(&a & true, |p, _| p);
        check(a.clone() | true, |_, _| true);
        check(true ^ &a, |p, _| !p);
        check(false & a.clone(), |_, _| false);
        let mut c = a.clone();
        c &= &b;
        check(c.clone(), |p, q| p & q);
        c |= a.clone();
        check(c.clone(), |p, q| p & q | p);
        c ^= true;
        check(c, |p, q| !(p & q | p));
        let mut kept = a.slice(s![..1]);
        kept &= &b;
        assert!(kept.check().is_err(), "a mask keeps its shape");
    }
}

#[test]
fn scalars_on_the_left() {
    for device in quick() {
        let x = device.array([3i32, -2, 5]);
        assert_eq!((17 % &x).to_vec().unwrap(), [17 % 3, 17 % -2, 17 % 5], "on {}", name(device));
        assert_eq!((6 & x.clone()).to_vec().unwrap(), [6 & 3, 6 & -2, 6 & 5]);
        assert_eq!((6 ^ &x).to_vec().unwrap(), [6 ^ 3, 6 ^ -2, 6 ^ 5]);
        let shifts = device.array([0u32, 3, 31]);
        assert_eq!((1 << &shifts).to_vec().unwrap(), [1, 8, 1 << 31]);
        assert_eq!((!0u32 >> shifts).to_vec().unwrap(), [!0, !0 >> 3, 1]);
        assert_eq!((!&x).to_vec().unwrap(), (!x).to_vec().unwrap());
        assert_eq!((7.5f32 % device.array([2.0f32, -4.0])).to_vec().unwrap(), [1.5, 3.5]);
    }
}

/// Shifts and divisions by what mathematics leaves open, as the operators' documentation has them.
#[test]
fn integers_where_mathematics_has_no_answer() {
    for device in drivers() {
        let x = [7i32, -7, 0, i32::MIN, i32::MAX];
        let y = device.array(x);
        let zero = Array::<i32>::zeros(device, &[5]).copy();
        assert_eq!((&y / &zero).to_vec().unwrap(), x, "i / 0 on {}", name(device));
        assert_eq!((&y % &zero).to_vec().unwrap(), [0; 5], "i % 0 on {}", name(device));
        assert_eq!((&y / &(zero - 1)).to_vec().unwrap(), x.map(|x| x.wrapping_neg()), "i / -1 on {}", name(device));
        let counts = device.array([32i32, 33, 31, -1, 65]);
        let shifted: Vec<i32> = x.iter().zip([0, 1, 31, 31, 1]).map(|(x, n)| x << n).collect();
        assert_eq!((&y << &counts).to_vec().unwrap(), shifted, "<< on {}", name(device));
        let shifted: Vec<i32> = x.iter().zip([0, 1, 31, 31, 1]).map(|(x, n)| x >> n).collect();
        assert_eq!((&y >> &counts).to_vec().unwrap(), shifted, ">> on {}", name(device));
        let z = device.array([9u32, 0, u32::MAX]);
        let nothing = Array::<u32>::zeros(device, &[3]).copy();
        assert_eq!((&z / &nothing).to_vec().unwrap(), [9, 0, u32::MAX], "u / 0 on {}", name(device));
        assert_eq!((&z % &nothing).to_vec().unwrap(), [0; 3], "u % 0 on {}", name(device));
    }
}

#[test]
fn put_where_and_back() {
    for device in drivers() {
        let host: Vec<i32> = small(3_000);
        let x = Array::from_shape(device, &[60, 50], &host);
        let odd = (&x % 2).not_equal(0);
        let wanted: Vec<i32> = host.iter().map(|&x| if x % 2 != 0 { 99 } else { x }).collect();
        same_values(&x.put_where(&odd, 99).to_vec().unwrap(), &wanted, name(device));
        let row = Array::arange(device, 0, 50, 1);
        let mut y = x.clone();
        y.assign_where(&odd, &row).unwrap();
        let wanted: Vec<i32> =
            host.iter().enumerate().map(|(i, &x)| if x % 2 != 0 { i as i32 % 50 } else { x }).collect();
        same_values(&y.to_vec().unwrap(), &wanted, name(device));
        same_values(&x.to_vec().unwrap(), &host, "the other array keeps its values");
        // Taken out, changed, put back.
        let picked = x.compress(&odd).map(|x| x * 10).to_array().unwrap();
        let wanted: Vec<i32> = host.iter().map(|&x| if x % 2 != 0 { x * 10 } else { x }).collect();
        same_values(&x.masked_scatter(&odd, &picked).to_vec().unwrap(), &wanted, name(device));
    }
}

fn message(device: &Device, result: crosslane::Result<Vec<i32>>) -> String {
    let error = result.unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Argument { .. }), "{error} on {}", name(device));
    error.to_string()
}

#[test]
fn what_does_not_fit_is_told() {
    for device in quick() {
        let mut x = device.array([1, 2, 3]);
        let mask = x.greater(1);
        let text = message(device, x.put_where(&mask.reshape(&[3, 1]), 0).to_vec());
        assert!(text.contains("broadcast to the array's shape [3]") && text.contains("[3, 3]"), "{text}");
        assert!(x.assign_where(&mask, device.array([1, 2])).is_err());
        assert_eq!(x.to_vec().unwrap(), [1, 2, 3], "as before");
        let text = message(device, x.masked_scatter(&mask, &device.array([7])).to_vec());
        assert!(text.contains("masked_scatter") && text.contains("got 1"), "{text}");
        assert!(x.masked_scatter(&mask, &device.array::<i32>([])).check().is_err());
        let nothing = Array::<i32>::zeros(device, &[0]);
        assert!(nothing.masked_scatter(&nothing.greater(0), &nothing).to_vec().unwrap().is_empty());
    }
}

#[test]
fn slices_of_any_integer() {
    for device in quick() {
        let x = Array::arange(device, 0, 12, 1).reshape(&[3, 4]);
        let n = x.shape()[1];
        assert_eq!(x.slice(s![1usize, 1..n]).to_vec().unwrap(), [5, 6, 7]);
        assert_eq!(x.slice(s![-1i64, ..=2u32]).to_vec().unwrap(), [8, 9, 10]);
        assert_eq!(x.slice(s![2u64, n - 2..]).to_vec().unwrap(), [10, 11]);
        assert_eq!(x.slice(s![0, 1..=-1]).to_vec().unwrap(), [1, 2, 3]);
        for (slices, got) in [
            (s![.., 0..5], "got 0..5"),
            (s![.., 1..9;-2], "got 1..9;-2"),
            (s![.., -5..], "got -5.."),
            (s![.., usize::MAX], "got index 9223372036854775807"),
            (s![.., ..;0], "got ..;0"),
        ] {
            let text = x.slice(slices).check().unwrap_err().to_string();
            assert!(text.contains("slice of axis 1") && text.contains(got), "{text}");
        }
    }
}

#[test]
fn reshape_with_what_is_left() {
    for device in quick() {
        let x = Array::arange(device, 0, 12, 1);
        assert_eq!(x.reshape(&[-1, 4]).shape(), [3, 4]);
        assert_eq!(x.reshape(&[2, -1, 3]).shape(), [2, 2, 3]);
        assert_eq!(x.reshape(x.reshape(&[6isize, -1]).shape()).shape(), [6, 2]);
        assert_eq!(x.slice(s![..0]).reshape(&[-1, 5]).shape(), [0, 5]);
        for (shape, wanted) in [
            ([-1, 5], "extents that divide 12 elements"),
            ([-1, -1], "-1 once at most"),
            ([-2, 6], "one of which may be -1"),
            ([4, 4], "12 elements, as in [12]"),
            ([-1, 0], "extents that divide"),
        ] {
            let text = x.reshape(&shape).check().unwrap_err().to_string();
            assert!(text.contains(wanted) && text.contains(&format!("got {shape:?}")), "{text}");
        }
    }
}
