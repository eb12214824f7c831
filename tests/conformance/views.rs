//! Views of every type: in expressions, as copies, and as targets of assignments.

use crate::for_types;
use crate::support::*;
use crosslane::array::Slice;
use crosslane::{Array, Complex, Device, Element, bf16, f16, s};

type View<T> = (&'static str, fn(&Array<T>) -> Array<T>, fn(&Dense<T>) -> Dense<T>);

/// Views of a [5, 7, 3] array.
fn table<T: Element>() -> Vec<View<T>> {
    vec![
        ("all of it", |x| x.clone(), |x| x.clone()),
        ("slice", |x| x.slice(s![1..4, 2..]), |x| x.slice(0, 1, 1, 3).slice(1, 2, 1, 5)),
        ("odd offset", |x| x.slice(s![.., 1..6;2]), |x| x.slice(1, 1, 2, 3)),
        ("backwards", |x| x.slice(s![..;-2, .., 1..;-1]), |x| x.slice(0, 4, -2, 3).slice(2, 2, -1, 2)),
        ("index", |x| x.slice(s![2, .., -1]), |x| x.slice(0, 2, 1, 1).slice(2, 2, 1, 1).reshape(&[7])),
        ("nothing", |x| x.slice(s![2..2]), |x| x.slice(0, 0, 1, 0)),
        ("transpose", |x| x.transpose(), |x| x.permute(&[2, 1, 0])),
        ("permute", |x| x.permute([1, 2, 0]), |x| x.permute(&[1, 2, 0])),
        ("swap_axes", |x| x.swap_axes(0, -1), |x| x.permute(&[2, 1, 0])),
        ("flip", |x| x.flip(1), |x| x.flip(1)),
        ("flip of a slice", |x| x.slice(s![1.., 3..]).flip(-1), |x| x.slice(0, 1, 1, 4).slice(1, 3, 1, 4).flip(2)),
        ("reshape", |x| x.reshape(&[15, 7]), |x| x.reshape(&[15, 7])),
        ("flatten", |x| x.flatten(), |x| x.reshape(&[105])),
        ("reshape of a transpose", |x| x.transpose().reshape(&[7, 15]), |x| x.permute(&[2, 1, 0]).reshape(&[7, 15])),
        ("reshape of a slice", |x| x.slice(s![.., ..6]).reshape(&[90]), |x| x.slice(1, 0, 1, 6).reshape(&[90])),
        ("reshape of a flip", |x| x.flip(0).flatten(), |x| x.flip(0).reshape(&[105])),
        (
            "broadcast",
            |x| x.slice(s![0, 0]).broadcast_to(&[4, 5, 3]),
            |x| x.slice(0, 0, 1, 1).slice(1, 0, 1, 1).broadcast(&[1, 1, 3]).reshape(&[3]).broadcast(&[4, 5, 3]),
        ),
        (
            "broadcast columns",
            |x| x.slice(s![.., .., 1]).expand_dims(-1).broadcast_to(&[5, 7, 4]),
            |x| x.slice(2, 1, 1, 1).broadcast(&[5, 7, 4]),
        ),
        ("expand and squeeze", |x| x.expand_dims(1).squeeze().transpose(), |x| x.permute(&[2, 1, 0])),
    ]
}

fn host<T: Element>() -> Dense<T> {
    Dense::new(&[5, 7, 3], small::<T>(105))
}

fn views<T: Element>(device: &Device) {
    let host = host::<T>();
    let one = of::<T>(1);
    for (what, on_device, on_host) in table::<T>() {
        let what = format!("{what} of {}", T::DTYPE);
        let wanted = on_host(&host);
        let x = upload(device, &host);
        same(&on_device(&x), &wanted, &what);
        same(&on_device(&x).copy(), &wanted, &format!("copy of {what}"));
        // A view of work that has not run, and work on a view: both are one expression.
        let truth = wanted.map(|v| v == one);
        same(&on_device(&x).cast::<u32>().equal(1), &truth, &format!("comparison of {what}"));
        let lazy = x.cast::<u32>().equal(1).select(&x, of::<T>(0));
        same(&on_device(&lazy), &wanted.map(|v| if v == one { v } else { of(0) }), &format!("lazy {what}"));
        // A view of a view.
        let flat = on_device(&x).flatten();
        if !flat.is_empty() {
            let n = flat.len();
            same(&flat.flip(0).slice(s![..;-1]), &wanted.reshape(&[n]), &format!("flattened {what}"));
        }
        // A view of a constant and of a range.
        let constant = on_device(&Array::full(device, &host.shape, of::<T>(3)));
        same(&constant, &wanted.map(|_| of(3)), &format!("{what} of a constant"));
        let range = Array::arange(device, 0u32, 105, 1).reshape(&[5, 7, 3]).cast::<T>();
        let wanted = on_host(&Dense::new(&[5, 7, 3], (0u8..105).map(|i| of::<T>(i as i128)).collect()));
        same(&on_device(&range), &wanted, &format!("{what} of a range"));
    }
}

#[test]
fn every_view_of_every_type() {
    for device in drivers() {
        spoil(device);
        for_types!(device, [f32, f16, i64, u8, bf16, i8, i16, Complex<f32>, Complex<f64>], views);
        // Types of one size differ in nothing that a view does: software drivers compile one of each.
        if !compiles_slowly(device) {
            for_types!(device, [f64, i32, u16, u32, u64, bool, bf16, i8, i16, Complex<f32>, Complex<f64>], views);
        }
    }
    for device in seconds() {
        spoil(device);
        for_types!(device, [f32, u8], views);
    }
}

type Target = (&'static str, Vec<Slice>, fn(usize, usize) -> bool);

/// Assignment to a part of a 9 by 13 matrix changes just that part, of every type.
fn assignment<T: Element>(device: &Device) {
    let targets: [Target; 7] = [
        ("all", s![].to_vec(), |_, _| true),
        ("rows", s![2..5].to_vec(), |i, _| (2..5).contains(&i)),
        ("columns", s![.., 1..4].to_vec(), |_, j| (1..4).contains(&j)),
        ("steps", s![1..;3, ..;2].to_vec(), |i, j| i % 3 == 1 && j % 2 == 0),
        ("backwards", s![..;-1, 3..;-4].to_vec(), |_, j| j >= 4 && (12 - j) % 4 == 0),
        ("a row", s![-1].to_vec(), |i, _| i == 8),
        ("nothing", s![3..3].to_vec(), |_, _| false),
    ];
    let (rows, columns) = (9, 13);
    let before = Dense::new(&[rows, columns], small::<T>(rows * columns));
    for (what, slices, hit) in targets {
        let mut x = upload(device, &before);
        let kept = x.clone();
        let value = of::<T>(1);
        x.slice_mut(&slices).assign(value).unwrap();
        let all = points(&before.shape).map(|p| if hit(p[0], p[1]) { value } else { before.at(&p) }).collect();
        same(&x, &Dense::new(&before.shape, all), &format!("{what} of {} assigned", T::DTYPE));
        same(&kept, &before, &format!("the clone of {} after {what}", T::DTYPE));
        // An array of the part's shape, from elsewhere.
        let part = x.slice(&slices).shape().to_vec();
        let count = part.iter().product::<usize>();
        let values = Dense::new(&part, small::<T>(count + 7)[7..].to_vec());
        let mut y = upload(device, &before);
        y.slice_mut(&slices).assign(upload(device, &values)).unwrap();
        same(&y.slice(&slices), &values, &format!("{what} of {} assigned from an array", T::DTYPE));
        let untouched = |y: &[T]| {
            let mut at = points(&before.shape).zip(y).filter(|(p, _)| !hit(p[0], p[1]));
            at.all(|(p, v)| *v == before.at(&p))
        };
        assert!(untouched(&y.to_vec().unwrap()), "{what} of {}: a neighbour changed", T::DTYPE);
    }
}

#[test]
fn assignment_through_views() {
    for device in drivers() {
        spoil(device);
        for_types!(device, [f16, f32, f64, i32, i64, u8, u16, u32, u64, bool, bf16, i8, i16, Complex<f32>, Complex<f64>], assignment);
    }
}

#[test]
fn assignment_keeps_value_semantics() {
    for device in devices() {
        let host: Vec<i32> = (0..1000).collect();
        // A part assigned from an overlapping part: as if the source had been copied first.
        let mut x = Array::from_slice(device, &host);
        let from = x.slice(s![..-1]);
        x.slice_mut(s![1..]).assign(&from).unwrap();
        let wanted: Vec<i32> = (0..1000).map(|i| (i - 1).max(0)).collect();
        same_values(&x.to_vec().unwrap(), &wanted, &format!("shift on {}", name(device)));
        drop(from);
        let reversed = x.flip(0) * 2;
        x.slice_mut(s![..]).assign(&reversed).unwrap();
        let wanted: Vec<i32> = wanted.iter().rev().map(|x| x * 2).collect();
        same_values(&x.to_vec().unwrap(), &wanted, "reversed onto itself");
        // Lazy work over the old value keeps seeing it.
        let lazy = &x + 1;
        x.slice_mut(s![..500]).assign(0).unwrap();
        same_values(&lazy.to_vec().unwrap(), &wanted.iter().map(|x| x + 1).collect::<Vec<_>>(), "lazy work");
        let mut y = Array::<f32>::zeros(device, &[3, 4]);
        let alias = y.transpose();
        y.assign(Array::from_slice(device, &[1.0, 2.0, 3.0, 4.0])).unwrap();
        assert_eq!(alias.to_vec().unwrap(), [0.0; 12]);
        y += 1.0;
        y.write(5, &[9.0, 8.0]).unwrap();
        assert_eq!(y.to_vec().unwrap(), [2.0, 3.0, 4.0, 5.0, 2.0, 9.0, 8.0, 5.0, 2.0, 3.0, 4.0, 5.0]);
        let mut row = y.slice(s![1]);
        row.slice_mut(s![0]).assign(-1.0).unwrap();
        assert_eq!(y.slice(s![1]).to_vec().unwrap(), [2.0, 9.0, 8.0, 5.0], "a view assigned to leaves its origin");
        // The array's only handle, again and again: no copy is needed, and none may be stale.
        let mut z = Array::<u8>::zeros(device, &[77]);
        for i in 0..77 {
            z.slice_mut(&[Slice::from(i as isize)]).assign(i as u8).unwrap();
        }
        assert_eq!(z.to_vec().unwrap(), (0..77).collect::<Vec<u8>>());
    }
}
