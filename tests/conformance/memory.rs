//! Memory: what is dropped comes back, limits hold, and what was spoiled never shows.

use crate::support::*;
use crosslane::profile::SpanKind;
use crosslane::{Array, DeviceOptions, ErrorKind, eval_all, s};

#[test]
fn dropped_arrays_give_their_memory_back() {
    let Some(device) = fresh("") else { return };
    assert_eq!(device.memory().live, 0);
    let x = Array::from_slice(&device, &small::<f32>(100_000));
    let one = device.memory();
    assert!(one.live >= 400_000 && one.live <= 460_000, "{one:?}");
    {
        let y = (&x * 2.0).reshape(&[100, 1000]);
        y.eval().unwrap();
        assert_eq!(device.memory().live, 2 * one.live);
        let _sums = [y.sum(), y.sum_axes(0).sum(), y.transpose().copy().max()].map(|a| a.item().unwrap());
        let _ = y.transpose().flatten().to_vec().unwrap();
        let mut z = y.clone();
        z.slice_mut(s![3]).assign(1.0).unwrap();
        assert!((&z + &Array::zeros(&device, &[3])).to_vec().is_err());
    }
    device.synchronize().unwrap();
    let now = device.memory();
    assert_eq!(now.live, one.live, "only x is left");
    assert!(now.peak >= 3 * one.live && now.pooled >= one.live, "{now:?}");
    // The same work again finds its memory in the pool.
    for _ in 0..50 {
        (&x + 1.0).sum().item().unwrap();
    }
    assert!(device.memory().pooled <= now.pooled + one.live, "{:?} after {now:?}", device.memory());
    device.trim();
    assert_eq!(device.memory().pooled, 0);
    assert_eq!((&x - &x).sum().item().unwrap(), 0.0);
    // Lazy arrays and views take none.
    let before = device.memory().live;
    let _lazy = (Array::<f32>::ones(&device, &[1000, 1000]) + 1.0, x.flip(0), x.slice(s![..;2]));
    assert_eq!(device.memory().live, before);
}

/// NumPy's `out=`: an expression assigned to a part is one kernel that writes there, with no memory of its own; assigned to a
/// whole array it is not even that, until the array is evaluated.
#[test]
fn assignment_takes_one_kernel_and_no_memory() {
    let Some(device) = fresh("") else { return };
    let (a, b) =
        (Array::from_slice(&device, &small::<f32>(100_000)), Array::from_slice(&device, &small::<f32>(100_000)));
    let mut x = Array::<f32>::zeros(&device, &[2, 100_000]).copy();
    eval_all(&[&x]).unwrap();
    device.synchronize().unwrap();
    let before = device.memory();
    let expression = || (&a * 2.0 + &b).maximum(0.5);
    x.slice_mut(s![1]).assign(expression()).unwrap();
    assert_eq!((device.memory().live, device.memory().peak), (before.live, before.peak), "nothing is taken");
    let ((), trace) = device.profile(|| x.slice_mut(s![1]).assign(expression())).unwrap();
    let launches = trace.spans().iter().filter(|span| span.kind == SpanKind::Launch).count();
    assert_eq!(launches, 1, "{trace}");
    let wanted: Vec<f32> = small::<f32>(100_000).iter().map(|&x| (x * 3.0).max(0.5)).collect();
    same_values(&x.slice(s![1]).to_vec().unwrap(), &wanted, "the part");
    same_values(&x.slice(s![0]).to_vec().unwrap(), &vec![0.0; 100_000], "the rest");
    let mut y = Array::<f32>::zeros(&device, &[100_000]).copy();
    eval_all(&[&y]).unwrap();
    y.assign(expression()).unwrap();
    assert_eq!(y.explain().unwrap().steps.len(), 1);
    assert!(device.memory().live <= before.live, "the old values are given back");
}

#[test]
fn limits_hold_and_lift() {
    for request in ["lavapipe", "swiftshader"] {
        let limit = 8 << 20;
        let Ok(device) = DeviceOptions::default().memory_limit(limit).open(request) else {
            say(&format!("skipped: {request} is not here"));
            continue;
        };
        let x = Array::from_slice(&device, &vec![1.0f32; 1 << 20]);
        let large = (&x + 1.0).to_vec().map(|y| y.len());
        assert_eq!(large.unwrap(), 1 << 20);
        let wide = Array::<f32>::zeros(&device, &[2, 1]) + &x;
        let error = wide.eval().unwrap_err();
        let ErrorKind::OutOfMemory { requested, live, limit: Some(most), operation, .. } = error.kind() else {
            panic!("{error}")
        };
        assert!(*requested >= 8 << 20 && *live >= 4 << 20 && *most == limit && !operation.is_empty(), "{error}");
        assert!(error.to_string().contains("limit 8388608"), "{error}");
        // The array is as lazy as before, and the device works.
        assert_eq!(x.sum().item().unwrap(), (1 << 20) as f32);
        assert!(wide.to_vec().is_err());
        device.set_memory_limit(None);
        assert_eq!(wide.sum().item().unwrap(), (1 << 21) as f32, "the same array, with the limit lifted");
        device.set_memory_limit(Some(1));
        assert!(matches!(
            Array::from_slice(&device, &[1u8; 9]).copy().eval().unwrap_err().kind(),
            ErrorKind::OutOfMemory { .. }
        ));
        assert!(x.to_vec().is_ok() || x.device().memory().live > 1);
    }
}

/// What the pool holds counts: neither a smaller limit nor threads that ask at once get round it.
#[test]
fn limits_count_what_is_pooled() {
    for request in ["cpu", "lavapipe", "cuda"] {
        let Some(device) = fresh(request) else { continue };
        let megabyte = || Array::full(&device, &[1 << 18], 1.5f32).copy();
        eval_all(&[&megabyte(), &megabyte()]).unwrap();
        assert!(device.memory().pooled >= 2 << 20);
        device.set_memory_limit(Some(1 << 19));
        assert!(device.memory().pooled <= 1 << 19, "{:?}", device.memory());
        let error = megabyte().eval().unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::OutOfMemory { .. }), "{error}");
        device.set_memory_limit(Some(3 << 20));
        let held: Vec<_> = std::thread::scope(|scope| {
            let one = || Some(megabyte()).filter(|x| x.eval().is_ok());
            let threads: Vec<_> = (0..8).map(|_| scope.spawn(one)).collect();
            threads.into_iter().filter_map(|thread| thread.join().unwrap()).collect()
        });
        assert_eq!(held.len(), 3, "{:?} on {}", device.memory(), name(&device));
        assert!(device.memory().live <= 3 << 20 && device.memory().peak <= 3 << 20, "{:?}", device.memory());
        drop(held);
        assert_eq!(megabyte().sum().item().unwrap(), 393_216.0);
    }
}

/// Sizes whose last vector or word is not full: the garbage after them must not reach a result.
#[test]
fn garbage_never_shows() {
    for device in devices() {
        spoil(device);
        let lengths = [1, 3, 257, 4095, 70_003, 5, 17, 255, 1001];
        for len in lengths.into_iter().take(if compiles_slowly(device) { 5 } else { 9 }) {
            let what = format!("{len} on {}", name(device));
            let x = Array::from_slice(device, &vec![2.0f32; len]);
            assert_eq!((&x + 1.0).sum().item().unwrap(), 3.0 * len as f32, "{what}");
            assert_eq!((&x + 1.0).max().item().unwrap(), 3.0, "{what}");
            assert!(!(&x + 1.0).is_nan().any().item().unwrap(), "{what}");
            let bytes = Array::full(device, &[len], 1u8).copy();
            assert_eq!(bytes.count_nonzero().item().unwrap() as usize, len, "{what}");
            assert!(bytes.all().item().unwrap() && x.greater(1.0).all().item().unwrap(), "{what}");
            let mask = x.less(1.0);
            mask.eval().unwrap();
            assert!(!mask.any().item().unwrap(), "{what}");
            let columns = x.broadcast_to(&[3, len]).copy();
            assert_eq!(columns.sum_axes(0).max().item().unwrap(), 6.0, "{what}");
        }
    }
}
