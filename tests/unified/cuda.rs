//! Pointers from and to CUDA: run where there is a card.

use crate::support::*;
use crosslane::device::Backend;
use crosslane::share::dlpack::Tensor;
use crosslane::{Array, Device, Kernel, s};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

fn cards() -> impl Iterator<Item = &'static Device> {
    devices().iter().filter(|device| device.properties().backend == Backend::Cuda)
}

/// Counts how often it is dropped.
struct Counted<T>(Arc<AtomicU32>, T);

impl<T> Drop for Counted<T> {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

#[test]
fn pointers_there_and_back() {
    for device in cards() {
        let drops = Arc::new(AtomicU32::new(0));
        let theirs = Array::arange(device, 0.0f32, 1000.0, 1.0).copy();
        let address = theirs.cuda_pointer().unwrap().unwrap();
        device.synchronize().unwrap();
        // From the middle of an allocation, at every alignment.
        for first in [0u64, 1, 3, 8, 100] {
            let owner = Box::new(Counted(drops.clone(), theirs.clone()));
            let at = address + first * 4;
            // SAFETY: the array that is kept holds so many floats there.
            let x = unsafe { Array::<f32>::from_cuda_pointer(device, at, &[3, 250], owner) }.unwrap();
            let wanted: Vec<f32> = (first..first + 750).map(|i| i as f32).collect();
            assert_eq!(x.to_vec().unwrap(), wanted);
            assert_eq!((&x + 1.0).sum().item().unwrap(), wanted.iter().sum::<f32>() + 750.0);
            assert_eq!(x.cuda_pointer().unwrap(), Some(at), "it is the same memory");
            let tensor = x.to_dlpack().unwrap();
            assert_eq!((tensor.tensor().device.device_type, tensor.tensor().data as u64), (2, at));
            // SAFETY: the tensor is ours, and valid.
            let tensor = unsafe { Tensor::from_raw(tensor.into_raw()) }.unwrap();
            let y = Array::<f32>::from_dlpack(device, tensor).unwrap();
            drop(x);
            assert_eq!(y.slice(s![2, 249]).item().unwrap(), first as f32 + 749.0);
        }
        assert_eq!(drops.load(Ordering::SeqCst), 5);
        assert!(device.cuda_stream().is_some());
    }
}

#[test]
fn kernels_write_through() {
    for device in cards() {
        let add = Kernel::wgsl(
            "@group(0) @binding(0) var<storage, read_write> x: array<u32>;
             @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
                 if id.x < arrayLength(&x) { x[id.x] += 1u; }
             }",
        )
        .unwrap();
        let theirs = Array::from_slice(device, &[5u32; 100]);
        let address = theirs.cuda_pointer().unwrap().unwrap();
        // SAFETY: as above; what is written is read only after the wait that dropping it brings.
        let mut x = unsafe { Array::<u32>::from_cuda_pointer(device, address, &[50], Box::new(())) }.unwrap();
        add.for_elements(50).args(&mut x).launch(device).unwrap();
        drop(x);
        assert_eq!(theirs.to_vec().unwrap(), [[6; 50], [5; 50]].concat());
    }
}

/// Functions of the driver as any library calls them, by the types that the caller knows.
#[cfg(target_os = "linux")]
fn driver_function(name: &std::ffi::CStr) -> *mut std::ffi::c_void {
    use std::ffi::{c_char, c_int, c_void};
    unsafe extern "C" {
        fn dlopen(file: *const c_char, flags: c_int) -> *mut c_void;
        fn dlsym(library: *mut c_void, name: *const c_char) -> *mut c_void;
    }
    // SAFETY: the names end with a zero, and the library is there where there is a card.
    let found = unsafe { dlsym(dlopen(c"libcuda.so.1".as_ptr(), 1), name.as_ptr()) };
    assert!(!found.is_null(), "{name:?}");
    found
}

/// Others' work in a stream comes after ours that makes what it uses, and before ours that uses what it made; and this
/// thread's context is as it was.
#[cfg(target_os = "linux")]
#[test]
fn others_work_is_in_order_on_both_sides() {
    use crosslane::Stream;
    use std::ffi::c_void;
    type Copy = unsafe extern "C" fn(u64, u64, usize, *mut c_void) -> i32;
    type Current = unsafe extern "C" fn(*mut *mut c_void) -> i32;
    if cards().next().is_none() {
        say("not run: others' work in a CUDA stream: there is no CUDA device");
    }
    for device in cards() {
        // SAFETY: the driver has these functions with these types.
        let (copy, current): (Copy, Current) = unsafe {
            (
                std::mem::transmute::<*mut c_void, Copy>(driver_function(c"cuMemcpyDtoDAsync_v2")),
                std::mem::transmute::<*mut c_void, Current>(driver_function(c"cuCtxGetCurrent")),
            )
        };
        let context = || {
            let mut context = std::ptr::null_mut();
            // SAFETY: the pointer is to a variable that lives.
            assert_eq!(unsafe { current(&mut context) }, 0);
            context
        };
        let before = context();
        let stream = Stream::new(device).unwrap();
        let len = 1 << 24;
        for round in 0..20u32 {
            let x = (Array::arange(device, 0u32, len as u32, 1) * 3 + round).copy();
            x.eval().unwrap(); // in the main stream
            let mut y = Array::<u32>::zeros(device, &[len]);
            let queued = stream.run(|| {
                device.with_stream((&x, &mut y), |raw, addresses| {
                    // SAFETY: both hold so many bytes, and live until the stream is done.
                    assert_eq!(unsafe { copy(addresses[1], addresses[0], len * 4, raw) }, 0);
                    Ok(())
                })
            });
            assert_eq!(queued.unwrap(), Some(()));
            drop(x); // it is still read
            let after = (&y + 1).copy(); // in the main stream
            let wanted = Array::arange(device, 0u32, len as u32, 1) * 3 + (round + 1);
            assert!(after.equal(&wanted).all().item().unwrap(), "round {round}");
        }
        assert_eq!(context(), before);
    }
}

#[test]
fn wrong_pointers_are_refused() {
    for device in devices() {
        let cuda = device.properties().backend == Backend::Cuda;
        for address in [0, 0x7002] {
            // SAFETY: it is refused.
            let x = unsafe { Array::<f32>::from_cuda_pointer(device, address, &[4], Box::new(())) };
            let error = x.unwrap_err().to_string();
            assert!(error.contains(if cuda { "multiple of 4" } else { "a CUDA device" }), "{error}");
        }
        assert_eq!(Array::<f32>::ones(device, &[3]).cuda_pointer().unwrap().is_some(), cuda);
        assert_eq!(device.cuda_stream().is_some(), cuda);
    }
}

/// Pinned memory: values and bytes as for any other.
#[test]
fn pinned_sides_are_pinned() {
    for device in cards() {
        let mut x = crosslane::Unified::<f32>::pinned(device, &[1 << 20]).unwrap();
        assert!(x.is_pinned());
        x.host_mut().unwrap().iter_mut().enumerate().for_each(|(i, x)| *x = i as f32);
        *x.device_mut().unwrap() += 1.0;
        assert!(x.host().unwrap().iter().enumerate().all(|(i, &x)| x == i as f32 + 1.0));
        x.host_range_mut(1001..1007).unwrap().fill(-1.0);
        assert_eq!(x.device().unwrap().less(0.0).count_nonzero().item().unwrap(), 6);
        x.device_range_mut(77..80).unwrap().slice_mut(s![77..80]).assign(3.0).unwrap();
        assert_eq!(x.host_range(76..81).unwrap(), [77.0, 3.0, 3.0, 3.0, 81.0]);
        assert_eq!((x.transfers().uploaded_bytes, x.transfers().downloaded_bytes), ((4 << 20) + 24, (4 << 20) + 12));
    }
}
