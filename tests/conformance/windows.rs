//! Arrays past one binding (128 MiB on the software drivers, 1 MiB on the stand-ins): in every layout.

use crate::support::*;
use crosslane::{Array, Device, s};

/// Whether its bindings are of the 128 MiB that Vulkan grants at least; larger ones would take minutes to fill.
fn is_narrow(device: &Device) -> bool {
    (1 << 27..1 << 28).contains(&device.caps().binding_bytes)
}

/// Rows and columns: 160 MB of f32, or 1.3 MB.
fn extents(device: &Device) -> (usize, usize) {
    if is_narrow(device) { (5000, 8003) } else { (400, 803) }
}

/// Small integers that differ between rows, columns and windows.
fn host((rows, columns): (usize, usize)) -> Vec<f32> {
    (0..rows * columns).map(|i| ((i / columns) % 7 + i % 11) as f32).collect()
}

#[track_caller]
fn check(device: &Device, what: &str, got: &Array<f32>, wanted: impl Fn(usize) -> f32) {
    let got = got.to_vec().unwrap_or_else(|error| panic!("{what} on {}: {error}", name(device)));
    let wrong = got.iter().enumerate().find(|&(i, &x)| x != wanted(i));
    assert!(wrong.is_none(), "{what} on {}: at {:?}, wanted {}", name(device), wrong, wanted(wrong.unwrap().0));
}

#[test]
fn arrays_past_one_binding() {
    for device in drivers() {
        let (rows, columns) = extents(device);
        let values = host((rows, columns));
        let at =
            |row: usize, column: usize| ((row * columns + column) / columns % 7 + (row * columns + column) % 11) as f32;
        assert!(values.len() as u64 * 4 > device.caps().binding_bytes || device.caps().binding_bytes >= 1 << 28);
        let x = Array::from_shape(device, &[rows, columns], &values);
        check(device, "contiguous", &(&x + 1.0), |i| values[i] + 1.0);
        check(device, "backwards", &(x.flatten().flip(0) + 1.0), |i| values[values.len() - 1 - i] + 1.0);
        let odd = x.flatten().slice(s![3..;2]) * 2.0;
        check(device, "every second from 3", &odd, |i| values[3 + 2 * i] * 2.0);
        let turned = x.transpose() + 0.5;
        check(device, "transposed", &turned, |i| at(i % rows, i / rows) + 0.5);
        drop((odd, turned));
        let (row, column) = (x.slice(s![1]), x.slice(s![.., 1..2]));
        check(device, "broadcast", &(&x - &row + &column), |i| values[i] - at(1, i % columns) + at(i / columns, 1));
        device.trim();
    }
}

#[test]
fn reductions_past_one_binding() {
    for device in drivers() {
        let (rows, columns) = extents(device);
        let values = host((rows, columns));
        let at =
            |row: usize, column: usize| ((row * columns + column) / columns % 7 + (row * columns + column) % 11) as f32;
        let x = Array::from_shape(device, &[rows, columns], &values).cast::<u32>();
        let total: u64 = values.iter().map(|&x| x as u64).sum();
        assert_eq!(x.sum().item().unwrap() as u64, total, "all on {}", name(device));
        assert_eq!(x.max().item().unwrap(), 16);
        let by_column: Vec<u32> = (0..columns).map(|c| (0..rows).map(|r| at(r, c) as u32).sum()).collect();
        same_values(&x.sum_axes(0).to_vec().unwrap(), &by_column, &format!("columns on {}", name(device)));
        let by_row: Vec<u32> = (0..rows).map(|r| (0..columns).map(|c| at(r, c) as u32).sum()).collect();
        same_values(&x.sum_axes(1).to_vec().unwrap(), &by_row, &format!("rows on {}", name(device)));
        let first = (0..values.len()).find(|&i| values[i] == 16.0).unwrap();
        assert_eq!(x.arg_max().item().unwrap() as usize, first, "the first of equals in the first of windows");
        let last = x.flatten().flip(0).arg_max().item().unwrap() as usize;
        assert_eq!(values.len() - 1 - last, (0..values.len()).rfind(|&i| values[i] == 16.0).unwrap());
        device.trim();
    }
}

#[test]
fn small_types_and_parts_past_one_binding() {
    for device in drivers() {
        let len = if is_narrow(device) { 150_000_001 } else { 1_500_001 };
        let mut x = Array::full(device, &[len], 3u8);
        x.slice_mut(s![1..;3]).assign(5).unwrap();
        x.write(len - 2, &[7, 9]).unwrap();
        let got = x.to_vec().unwrap();
        let wanted = |i: usize| match i {
            i if i == len - 2 => 7,
            i if i == len - 1 => 9,
            i => {
                if i % 3 == 1 {
                    5
                } else {
                    3
                }
            }
        };
        let wrong = got.iter().enumerate().find(|&(i, &v)| v != wanted(i));
        assert!(wrong.is_none(), "{wrong:?} on {}", name(device));
        let fives = x.cast::<u32>().equal(5).count_nonzero().item().unwrap() as usize;
        assert_eq!(fives, (0..len - 2).filter(|i| i % 3 == 1).count(), "on {}", name(device));
        device.trim();
    }
}
