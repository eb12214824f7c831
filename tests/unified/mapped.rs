//! Arrays read where they lie.

use crate::support::*;
use crosslane::{Array, DeviceOptions, Element, ErrorKind, Kernel, s};

const ADD: &str = "
    @group(0) @binding(0) var<storage, read_write> x: array<f32>;
    @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
        if id.x < arrayLength(&x) { x[id.x] += 1.0; }
    }
";

fn round_trip<T: Element>(device: &crosslane::Device) {
    let host = small::<T>(101);
    let x = Array::from_slice(device, &host);
    let stored: Vec<T> = T::from_stored(x.map_memory().unwrap().to_vec());
    same_values(&stored, &host, &format!("{} on {}", T::DTYPE, name(device)));
    let part = x.slice(s![1..51;2]);
    let wanted: Vec<T> = host[1..51].iter().step_by(2).copied().collect();
    same_values(&T::from_stored(part.map_memory().unwrap().to_vec()), &wanted, "a view with gaps");
    let tail = x.slice(s![3..]);
    same_values(&T::from_stored(tail.map_memory().unwrap().to_vec()), &host[3..], "a view");
}

#[test]
fn elements_of_every_type() {
    for device in devices().iter().filter(|device| device.caps().unified) {
        crate::for_types!(device, [crosslane::f16, f32, f64, i32, i64, u8, u16, u32, u64, bool, crosslane::bf16, i8, i16, crosslane::Complex<f32>, crosslane::Complex<f64>], round_trip);
        assert!(Array::<f32>::zeros(device, &[0, 3]).map_memory().unwrap().is_empty());
        assert!(Array::<f32>::zeros(device, &[2]).reshape(&[3]).map_memory().is_err());
    }
}

#[test]
fn no_kernel_writes_what_the_host_sees() {
    for device in devices().iter().filter(|device| device.caps().unified) {
        let add = Kernel::wgsl(ADD).unwrap();
        let mut x = Array::from_slice(device, &[1.0f32; 100]);
        let mapped = x.map_memory().unwrap();
        let error = add.grid([2]).args([crosslane::Argument::in_place(&x)]).launch(device).unwrap_err();
        assert!(error.to_string().contains("Array::map_memory"), "{error} on {}", name(device));
        assert_eq!(mapped[..], [1.0; 100]);
        let cpu = device.properties().backend == crosslane::device::Backend::Cpu;
        // To read is allowed where the host and kernels may do it at the same time.
        assert_eq!((&x + 1.0).sum().item().is_ok(), cpu, "on {}", name(device));
        assert_eq!(x.map_memory().is_ok(), cpu, "a second guard on {}", name(device));
        // Given to be written by `&mut`, the array goes to memory of its own.
        let mut y = x.clone();
        assert_eq!(add.grid([2]).args(&mut y).launch(device).is_ok(), cpu);
        assert_eq!(mapped[..], [1.0; 100]);
        drop(mapped);
        add.grid([2]).args(&mut x).launch(device).unwrap();
        assert_eq!(x.map_memory().unwrap()[..], [2.0; 100], "on {}", name(device));
        assert_eq!((&x + 1.0).sum().item().unwrap(), 300.0);
        // A guard outlives its array, whose memory nobody gets until then.
        let mapped = x.map_memory().unwrap();
        drop(x);
        spoil(device);
        assert!(mapped.iter().all(|&x| x == 2.0), "on {}", name(device));
    }
}

#[test]
fn without_shared_memory_the_error_says_what_to_do() {
    for device in devices().iter().filter(|device| !device.caps().unified) {
        let error = Array::<f32>::ones(device, &[4]).map_memory().err().expect("there is no shared memory");
        assert!(matches!(error.kind(), ErrorKind::Unsupported { operation: "map_memory", .. }), "{error}");
        assert!(error.to_string().contains("read_into"), "{error}");
    }
    let staged = DeviceOptions::default().staged_transfers(true).open("lavapipe");
    assert!(staged.is_err() || !staged.unwrap().caps().unified);
}
