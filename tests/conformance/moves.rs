//! Arrays brought together, taken apart, padded, rolled, repeated and cut to triangles, against what indices say on the host.

use crate::for_types;
use crate::support::*;
use crosslane::array::PadMode;
use crosslane::{Array, Complex, Device, Element, bf16, f16, s};
use rand::Rng;

fn concatenated<T: Element>(device: &Device) {
    for (shape, extents) in [([3, 0, 5], [1usize, 4, 2]), ([4, 0, 8], [2, 4, 2]), ([2, 0, 3], [5, 0, 1])] {
        for axis in 0..if compiles_slowly(device) { 1 } else { 3 } {
            let parts: Vec<Dense<T>> = (0..3)
                .map(|part| {
                    let mut shape = shape.to_vec();
                    shape[1] = 6;
                    shape[axis] = extents[part];
                    noise(part as u64, &shape)
                })
                .collect();
            let total = extents.iter().sum();
            let mut whole = parts[0].shape.clone();
            whole[axis] = total;
            let of = |p: &[usize]| {
                let (mut part, mut p) = (0, p.to_vec());
                while p[axis] >= extents[part] {
                    p[axis] -= extents[part];
                    part += 1;
                }
                parts[part].at(&p)
            };
            let wanted = Dense::new(&whole, points(&whole).map(|p| of(&p)).collect());
            let arrays: Vec<Array<T>> = parts.iter().map(|part| upload(device, part)).collect();
            let arrays: Vec<&Array<T>> = arrays.iter().collect();
            let got = Array::concatenate(&arrays, axis as isize).unwrap();
            same(&got, &wanted, &format!("{extents:?} {} along {axis}", T::DTYPE));
            let places = [extents[0] as isize, (extents[0] + extents[1]) as isize];
            for (part, wanted) in got.split_at(&places, axis as isize).unwrap().iter().zip(&parts) {
                same(part, wanted, "taken apart again");
            }
        }
    }
}

#[test]
fn concatenation_of_every_type() {
    for device in drivers() {
        spoil(device);
        for_types!(device, [f32, u8], concatenated);
        if !compiles_slowly(device) {
            for_types!(device, [f16, f64, i32, i64, u16, u32, u64, bool, bf16, i8, i16, Complex<f32>, Complex<f64>], concatenated);
        }
    }
}

#[test]
fn many_and_computed_and_turned_parts() {
    for device in quick() {
        // More than one launch binds.
        let parts: Vec<Array<u32>> =
            (0..21u32).map(|i| Array::full(device, &[2, i as usize % 4 + 1], i).copy()).collect();
        let parts: Vec<&Array<u32>> = parts.iter().collect();
        let row = (0..21u32).flat_map(|i| vec![i; i as usize % 4 + 1]).collect::<Vec<_>>();
        let wanted = Dense::new(&[2, row.len()], [row.clone(), row].concat());
        same(&Array::concatenate(&parts, -1).unwrap(), &wanted, "many");
        let bytes: Vec<Array<u8>> = parts.iter().map(|part| part.cast()).collect();
        let bytes = Array::concatenate(&bytes.iter().collect::<Vec<_>>(), -1).unwrap();
        same(&bytes, &wanted.map(|x| x as u8), "many of bytes");

        let host = Dense::new(&[70, 64], (0..4480).map(|i| i as f32).collect());
        let x = upload(device, &host);
        let constant = Array::full(device, &[64, 6], 2.0);
        let got = Array::concatenate(&[&(x.transpose() * 2.0), &constant, &x.slice(s![..64])], 1).unwrap();
        let wanted = Dense::new(
            &[64, 140],
            points(&[64, 140])
                .map(|p| match p[1] {
                    0..70 => host.at(&[p[1], p[0]]) * 2.0,
                    70..76 => 2.0,
                    _ => host.at(&[p[0], p[1] - 76]),
                })
                .collect(),
        );
        same(&got, &wanted, "computed, constant and turned");
        same(
            &Array::concatenate(&[&x, &x, &x], 0).unwrap(),
            &host.view(&[210, 64], |p| vec![p[0] % 70, p[1]]),
            "itself",
        );
        let stacked = Array::stack(&[&x, &(&x + 1.0)], 1).unwrap();
        let wanted = points(&[70, 2, 64]).map(|p| host.at(&[p[0], p[2]]) + p[1] as f32).collect();
        same(&stacked, &Dense::new(&[70, 2, 64], wanted), "stacked");
        let last = Array::stack(&[&x, &(&x + 1.0)], -1).unwrap();
        let wanted = points(&[70, 64, 2]).map(|p| host.at(&p[..2]) + p[2] as f32).collect();
        same(&last, &Dense::new(&[70, 64, 2], wanted), "stacked as pairs");
        let nothing = Array::<f32>::zeros(device, &[0, 3]);
        assert_eq!(Array::concatenate(&[&nothing, &nothing], 0).unwrap().shape(), [0, 3]);
        assert_eq!(Array::concatenate(&[&nothing], 1).unwrap().shape(), [0, 3]);
    }
}

#[test]
fn parts_past_one_binding() {
    for device in drivers().filter(|device| device.caps().binding_bytes <= 1 << 20) {
        let host = Dense::new(&[700, 803], (0..700 * 803).map(|i| i as u32).collect());
        let x = upload(device, &host);
        let both = Array::concatenate(&[&x, &x.flip(0)], 1).unwrap();
        let wanted = host.view(&[700, 1606], |p| if p[1] < 803 { p.to_vec() } else { vec![699 - p[0], p[1] - 803] });
        same(&both, &wanted, "concatenated past one binding");
        let bytes = x.cast::<u8>();
        let both = Array::concatenate(&[&bytes, &bytes.flip(0)], 1).unwrap();
        same(&both, &wanted.map(|x| x as u8), "bytes past one binding");
    }
}

#[test]
fn parts_of_an_axis() {
    for device in apis().iter().take(1) {
        let x = Array::arange(device, 0, 20, 1).reshape(&[2, 10]);
        let lengths = |parts: Vec<Array<i32>>| parts.iter().map(|part| part.shape()[1]).collect::<Vec<_>>();
        assert_eq!(lengths(x.split(5, 1).unwrap()), [2; 5]);
        assert_eq!(lengths(x.array_split(4, -1).unwrap()), [3, 3, 2, 2]);
        assert_eq!(lengths(x.array_split(12, 1).unwrap()), [[1; 10].to_vec(), vec![0, 0]].concat());
        assert_eq!(lengths(x.split_at(&[3, 3, -2, 99], 1).unwrap()), [3, 0, 5, 2, 0]);
        assert_eq!(lengths(x.split_at(&[7, 2], 1).unwrap()), [7, 0, 8]);
        assert_eq!(x.split(2, 0).unwrap()[1].to_vec().unwrap(), (10..20).collect::<Vec<_>>());
    }
}

/// The element of an axis that a place of its continuation means, by NumPy's definition of each mode.
fn meant(mode: PadMode<i32>, place: i64, extent: i64) -> Option<usize> {
    if (0..extent).contains(&place) {
        return Some(place as usize);
    }
    let mirror = |period: i64, place: i64| {
        let place = place.rem_euclid(2 * period.max(1));
        if place < extent { place } else { 2 * period - place - (period == extent) as i64 }
    };
    match mode {
        PadMode::Constant(_) => None,
        PadMode::Edge => Some(place.clamp(0, extent - 1) as usize),
        PadMode::Wrap => Some(place.rem_euclid(extent) as usize),
        PadMode::Symmetric => Some(mirror(extent, place) as usize),
        PadMode::Reflect if extent == 1 => Some(0),
        PadMode::Reflect => Some(mirror(extent - 1, place) as usize),
        other => panic!("{other:?} has no test"),
    }
}

/// A shape, and how many elements come before and after each axis.
type Padded = (&'static [usize], &'static [(usize, usize)]);

#[test]
fn padding_in_every_mode() {
    let modes = [PadMode::Constant(9), PadMode::Edge, PadMode::Reflect, PadMode::Symmetric, PadMode::Wrap];
    for device in drivers() {
        let cases: [Padded; 7] = [
            (&[5, 8], &[(1, 2), (4, 0)]),
            (&[4, 6], &[(2, 2)]),
            (&[3, 4], &[(0, 0), (7, 9)]),
            (&[1, 2], &[(3, 3), (20, 31)]),
            (&[2, 3, 4], &[(1, 1), (0, 2), (3, 1)]),
            (&[7], &[(0, 0)]),
            (&[6], &[(30, 1)]),
        ];
        for (shape, widths) in cases.into_iter().take(if compiles_slowly(device) { 1 } else { 7 }) {
            for mode in modes {
                let host = noise::<i32>(5, shape);
                let width = |axis: usize| if widths.len() == 1 { widths[0] } else { widths[axis] };
                let larger: Vec<usize> = shape.iter().enumerate().map(|(a, e)| e + width(a).0 + width(a).1).collect();
                let value = |p: &[usize]| {
                    let from = (0..p.len()).map(|a| meant(mode, p[a] as i64 - width(a).0 as i64, shape[a] as i64));
                    from.collect::<Option<Vec<_>>>().map_or(9, |from| host.at(&from))
                };
                let wanted = Dense::new(&larger, points(&larger).map(|p| value(&p)).collect());
                let got = upload(device, &host).pad(widths, mode);
                same(&got, &wanted, &format!("{shape:?} by {widths:?}, {mode:?}"));
            }
        }
        let bytes = Array::from_slice(device, &[1u8, 2, 3]).pad(&[(1, 2)], PadMode::Constant(255));
        assert_eq!(bytes.to_vec().unwrap(), [255, 1, 2, 3, 255, 255]);
        let empty = Array::<f32>::zeros(device, &[0, 2]).pad(&[(1, 1), (0, 0)], PadMode::Constant(4.0));
        assert_eq!(empty.to_vec().unwrap(), [4.0; 4]);
    }
}

fn rolled<T: Element>(device: &Device) {
    let mut rng = random(8);
    for shape in [&[17][..], &[5, 12], &[2, 3, 8]] {
        let host = noise::<T>(6, shape);
        let x = upload(device, &host);
        let (n, shift) = (host.data.len() as isize, rng.random_range(-50..50i32) as isize);
        let flat = (0..n).map(|i| host.data[(i - shift).rem_euclid(n) as usize]).collect();
        same(&x.roll(shift), &Dense::new(shape, flat), &format!("{shape:?} {} rolled by {shift}", T::DTYPE));
        for axis in 0..shape.len() {
            let extent = shape[axis] as isize;
            let from = |p: &[usize]| {
                let mut p = p.to_vec();
                p[axis] = (p[axis] as isize - shift).rem_euclid(extent) as usize;
                p
            };
            same(&x.roll_axes(&[shift], axis as isize), &host.view(shape, from), &format!("{shape:?} along {axis}"));
        }
    }
}

#[test]
fn rolls_of_every_type() {
    for device in quick() {
        for_types!(device, [f16, f32, f64, i32, i64, u8, u16, u32, u64, bool, bf16, i8, i16, Complex<f32>, Complex<f64>], rolled);
        let host = Dense::new(&[6, 10], (0..60).collect());
        let x: Array<i32> = upload(device, &host);
        let got = x.roll_axes(&[2, -3, 1], [0, 1, -2]);
        same(&got, &host.view(&[6, 10], |p| vec![(p[0] + 3) % 6, (p[1] + 3) % 10]), "several axes, one twice");
        assert!(Array::<f32>::zeros(device, &[0]).roll(3).is_empty());
    }
}

fn repeated<T: Element>(device: &Device) {
    let host = noise::<T>(9, &[3, 5]);
    let x = upload(device, &host);
    for axis in 0..2usize {
        let mut shape = host.shape.clone();
        shape[axis] *= 3;
        let from = |p: &[usize]| (0..2).map(|a| if a == axis { p[a] / 3 } else { p[a] }).collect();
        same(&x.repeat_axis(3, axis as isize), &host.view(&shape, from), &format!("{} along {axis}", T::DTYPE));
    }
    same(&x.tile(&[2, 3]), &host.view(&[6, 15], |p| vec![p[0] % 3, p[1] % 5]), "tiled");
    same(&x.tile(&[2]), &host.view(&[3, 10], |p| vec![p[0], p[1] % 5]), "tiled along the last axis");
    let wanted = host.view(&[6, 5], |p| vec![p[0] % 3, p[1]]).reshape(&[2, 3, 5]);
    same(&x.tile(&[2, 1, 1]), &wanted, "tiled along a new axis");
    same(
        &x.transpose().tile(&[1, 2]),
        &host.permute(&[1, 0]).view(&[5, 6], |p| vec![p[0], p[1] % 3]),
        "turned and tiled",
    );
    assert_eq!(x.tile(&[0, 2]).shape(), [0, 10]);
    assert_eq!(x.repeat_axis(0, 1).shape(), [3, 0]);
}

#[test]
fn elements_and_arrays_again_and_again() {
    for device in quick() {
        for_types!(device, [f16, f32, f64, i32, i64, u8, u16, u32, u64, bool, bf16, i8, i16, Complex<f32>, Complex<f64>], repeated);
        let x = Array::arange(device, 0.0f32, 4.0, 1.0);
        let got = (&x * 2.0 + 1.0).tile(&[2]);
        assert_eq!(got.explain().unwrap().steps.len(), 1, "what is computed on the way is no kernel of its own");
        assert_eq!(got.to_vec().unwrap(), [1.0, 3.0, 5.0, 7.0, 1.0, 3.0, 5.0, 7.0]);
    }
}

fn triangles<T: Element>(device: &Device) {
    for shape in [[4usize, 6], [6, 4], [1, 1]] {
        let host = noise::<T>(11, &shape);
        let x = upload(device, &host);
        for offset in [-9, -2, 0, 1, 9isize] {
            let cut = |keeps: fn(isize) -> bool| {
                let value = |p: Vec<usize>| {
                    if keeps(p[1] as isize - p[0] as isize) { host.at(&p) } else { of(0) }
                };
                Dense::new(&shape, points(&shape).map(value).collect::<Vec<T>>())
            };
            let what = format!("{shape:?} {} from {offset}", T::DTYPE);
            let both: [fn(isize) -> bool; 2] = match offset {
                -9 => [|d| d >= -9, |d| d <= -9],
                -2 => [|d| d >= -2, |d| d <= -2],
                0 => [|d| d >= 0, |d| d <= 0],
                1 => [|d| d >= 1, |d| d <= 1],
                _ => [|d| d >= 9, |d| d <= 9],
            };
            same(&x.triu(offset), &cut(both[0]), &format!("triu of {what}"));
            same(&x.tril(offset), &cut(both[1]), &format!("tril of {what}"));
            let on = points(&shape).filter(|p| p[1] as isize - p[0] as isize == offset).map(|p| host.at(&p));
            let on: Vec<T> = on.collect();
            let wanted = Dense::new(&[on.len()], on);
            same(&x.diagonal(offset, 0, 1), &wanted, &format!("diagonal of {what}"));
            let side = wanted.data.len() + offset.unsigned_abs();
            let square = [side, side];
            let built = points(&square).map(|p| {
                let first = p[0] as isize - (-offset).max(0);
                match p[1] as isize - p[0] as isize == offset && first >= 0 {
                    true => wanted.data[first as usize],
                    false => of(0),
                }
            });
            let built = Dense::new(&square, built.collect());
            same(&upload(device, &wanted).diag(offset), &built, &format!("diag of {what}"));
        }
    }
}

#[test]
fn triangles_and_diagonals_of_every_type() {
    for device in quick() {
        for_types!(device, [f16, f32, f64, i32, i64, u8, u16, u32, u64, bool, bf16, i8, i16, Complex<f32>, Complex<f64>], triangles);
        let host = Dense::new(&[3, 4, 5], (0..60).collect::<Vec<i32>>());
        let x = upload(device, &host);
        let wanted = points(&[3, 4, 5]).map(|p| if p[2] > p[1] { host.at(&p) } else { 0 }).collect();
        same(&x.triu(1), &Dense::new(&[3, 4, 5], wanted), "triangles of several matrices");
        same(&x.diagonal(1, 2, 0), &host.view(&[4, 2], |p| vec![p[1] + 1, p[0], p[1]]), "a diagonal of other axes");
        let sums = (0..4).map(|j| (0..3).map(|i| host.at(&[i, j, i])).sum()).collect();
        same(&x.trace(0, 0, 2), &Dense::new(&[4], sums), "trace");
        assert_eq!(x.slice(s![0]).trace(-1, 0, 1).item().unwrap(), 5 + 11 + 17);
        assert_eq!(x.triu(isize::MIN).sum().item().unwrap(), 1770);
        assert_eq!(x.tril(isize::MIN).sum().item().unwrap(), 0);
        assert!(x.diagonal(isize::MAX, 0, 1).is_empty());
    }
}

#[test]
fn axes_are_moved_and_turned() {
    for device in quick() {
        let host = noise::<u16>(12, &[3, 4, 5]);
        let x = upload(device, &host);
        same(&x.move_axis(0, 2), &host.permute(&[1, 2, 0]), "the first last");
        same(&x.move_axis(-1, 0), &host.permute(&[2, 0, 1]), "the last first");
        let quarter = host.view(&[4, 3, 5], |p| vec![p[1], 3 - p[0], p[2]]);
        same(&x.rot90(1, 0, 1), &quarter, "a quarter");
        same(&x.rot90(-3, 0, 1), &quarter, "three quarters back");
        same(&x.rot90(2, 0, 1), &host.flip(0).flip(1), "half");
        same(&x.rot90(3, 0, 1), &host.view(&[4, 3, 5], |p| vec![2 - p[1], p[0], p[2]]), "three quarters");
        same(&x.rot90(1, 1, 0), &host.view(&[4, 3, 5], |p| vec![2 - p[1], p[0], p[2]]), "the other way");
    }
}

#[test]
fn mistakes_are_named() {
    for device in apis().iter().take(1) {
        let (x, y) = (Array::<f32>::zeros(device, &[2, 3]), Array::<f32>::zeros(device, &[2, 4]));
        let errors = [
            (Array::concatenate(&[&x, &y], 0).err(), "concatenate: shapes: wanted [2, 3] but for axis 0, got [2, 4]"),
            (Array::concatenate(&[&x, &y], 2).err(), "axis: wanted -2 to 1, got 2"),
            (Array::<f32>::concatenate(&[], 0).err(), "arrays: wanted at least one, got none"),
            (Array::stack(&[&x, &y], 0).err(), "stack: shapes: wanted [2, 3], got [2, 4]"),
            (x.split(2, 1).err(), "split: parts: wanted a divisor of the axis' 3"),
            (x.array_split(0, 1).err(), "array_split: parts: wanted at least one, got 0"),
            (
                x.pad(&[(1, 1); 3], PadMode::Edge).to_vec().err(),
                "pad: widths: wanted one pair, or one for each of 2 axes",
            ),
            (
                Array::<f32>::zeros(device, &[0]).pad(&[(1, 0)], PadMode::Wrap).to_vec().err(),
                "pad: mode: wanted an element",
            ),
            (x.pad(&[(usize::MAX, 1)], PadMode::Edge).to_vec().err(), "pad: shape: wanted fewer than 2^63 bytes"),
            (
                x.pad(&[(0, 0), (1, 1 << 40)], PadMode::Reflect).to_vec().err(),
                "bytes wanted, but the largest buffer of",
            ),
            (x.roll_axes(&[1], [0, 1]).to_vec().err(), "roll_axes: shifts: wanted 2 for as many axes, got 1"),
            (x.diagonal(0, 1, -1).to_vec().err(), "diagonal: axes: wanted two that differ"),
            (x.trace(0, 0, 2).to_vec().err(), "trace: axis: wanted -2 to 1, got 2"),
            (x.slice(s![0]).triu(0).to_vec().err(), "triu: rank: wanted 2 at least, got 1"),
            (x.expand_dims(0).diag(0).to_vec().err(), "diag: rank: wanted 1 or 2, got 3"),
            (x.tile(&[usize::MAX, 2]).to_vec().err(), "tile: shape: wanted fewer than 2^63 bytes"),
            (x.repeat_axis(2, 5).to_vec().err(), "repeat_axis: axis"),
            (x.rot90(1, 0, 0).to_vec().err(), "rot90: axes: wanted two that differ"),
            (x.move_axis(3, 0).to_vec().err(), "move_axis: axis: wanted -2 to 1, got 3"),
        ];
        for (error, wanted) in errors {
            let error = error.map_or("no error".to_string(), |error| error.to_string());
            assert!(error.contains(wanted), "{error} should have {wanted:?}");
        }
    }
}
