//! DLPack: tensors made by hand, with a deleter that counts, become arrays, and arrays become tensors.

use crate::support::*;
use crosslane::device::Backend;
use crosslane::share::dlpack::{
    DLDataType, DLDevice, DLManagedTensor, DLManagedTensorVersioned, DLPackVersion, DLTensor, FLAG_IS_COPIED,
    FLAG_READ_ONLY, Tensor,
};
use crosslane::{Argument, Array, Device, Element, Kernel, Result, s};
use std::ffi::c_void;
use std::ptr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

/// Another library's tensor over memory of its own.
struct Theirs {
    shape: Vec<i64>,
    strides: Vec<i64>,
    _values: Vec<u64>,
    deleted: Arc<AtomicU32>,
}

unsafe extern "C" fn delete(tensor: *mut DLManagedTensorVersioned) {
    // SAFETY: made by make().
    unsafe {
        let tensor = Box::from_raw(tensor);
        let theirs = Box::from_raw(tensor.manager_ctx.cast::<Theirs>());
        theirs.deleted.fetch_add(1, Ordering::SeqCst);
    }
}

unsafe extern "C" fn delete_old(tensor: *mut DLManagedTensor) {
    // SAFETY: made by make_old().
    unsafe {
        let tensor = Box::from_raw(tensor);
        let theirs = Box::from_raw(tensor.manager_ctx.cast::<Theirs>());
        theirs.deleted.fetch_add(1, Ordering::SeqCst);
    }
}

/// How a tensor is to be; the values lie in memory that begins at a multiple of 8.
#[derive(Clone)]
struct Draft {
    bytes: Vec<u8>,
    dtype: DLDataType,
    device: (i32, i32),
    shape: Vec<i64>,
    strides: Option<Vec<i64>>,
    byte_offset: u64,
    version: u32,
}

const F32: DLDataType = DLDataType { code: 2, bits: 32, lanes: 1 };

impl Draft {
    fn of(values: &[f32], shape: &[i64]) -> Draft {
        let bytes = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        let (dtype, device, shape) = (F32, (1, 0), shape.to_vec());
        Draft { bytes, dtype, device, shape, strides: None, byte_offset: 0, version: 1 }
    }

    fn tensor(&self, deleted: &Arc<AtomicU32>) -> (DLTensor, *mut c_void) {
        let mut values = vec![0u64; self.bytes.len().div_ceil(8) + 1];
        for (at, &byte) in self.bytes.iter().enumerate() {
            values[at / 8] |= (byte as u64) << (at % 8 * 8);
        }
        let data = values.as_mut_ptr().cast();
        let (shape, strides) = (self.shape.clone(), self.strides.clone().unwrap_or_default());
        let theirs = Box::new(Theirs { shape, strides, _values: values, deleted: deleted.clone() });
        let theirs = Box::into_raw(theirs);
        // SAFETY: it was just made.
        let (shape, strides) = unsafe { ((*theirs).shape.as_mut_ptr(), (*theirs).strides.as_mut_ptr()) };
        let dl_tensor = DLTensor {
            data,
            device: DLDevice { device_type: self.device.0, device_id: self.device.1 },
            ndim: self.shape.len() as i32,
            dtype: self.dtype,
            shape,
            strides: if self.strides.is_some() { strides } else { ptr::null_mut() },
            byte_offset: self.byte_offset,
        };
        (dl_tensor, theirs.cast())
    }

    fn make(&self, deleted: &Arc<AtomicU32>) -> Result<Tensor> {
        let (dl_tensor, manager_ctx) = self.tensor(deleted);
        let version = DLPackVersion { major: self.version, minor: 0 };
        let managed = DLManagedTensorVersioned { version, manager_ctx, deleter: Some(delete), flags: 0, dl_tensor };
        // SAFETY: it is valid and nobody else's.
        unsafe { Tensor::from_raw(Box::into_raw(Box::new(managed))) }
    }

    fn make_old(&self, deleted: &Arc<AtomicU32>) -> Result<Tensor> {
        let (dl_tensor, manager_ctx) = self.tensor(deleted);
        let managed = DLManagedTensor { dl_tensor, manager_ctx, deleter: Some(delete_old) };
        // SAFETY: it is valid and nobody else's.
        unsafe { Tensor::from_raw_unversioned(Box::into_raw(Box::new(managed))) }
    }
}

fn count() -> Arc<AtomicU32> {
    Arc::new(AtomicU32::new(0))
}

fn shares_address(device: &Device) -> bool {
    device.properties().backend == Backend::Cpu && !is_checked(device)
}

#[test]
fn tensors_become_arrays_and_are_deleted_once() {
    let values: Vec<f32> = (0..24).map(|i| i as f32).collect();
    for device in devices() {
        for old in [false, true] {
            let deleted = count();
            let plain = Draft::of(&values, &[4, 6]);
            let make = |draft: &Draft| if old { draft.make_old(&deleted) } else { draft.make(&deleted) }.unwrap();
            let x = Array::<f32>::from_dlpack(device, make(&plain)).unwrap();
            let gone = deleted.load(Ordering::SeqCst);
            assert_eq!(gone, !shares_address(device) as u32, "copied or not on {}", name(device));
            assert_eq!((x.shape(), x.to_vec().unwrap()), (&[4, 6][..], values.clone()), "on {}", name(device));
            let lazy = &x * 2.0;
            drop(x);
            assert_eq!(lazy.sum().item().unwrap(), 552.0, "the tensor is kept until then");
            drop(lazy);
            assert_eq!(deleted.load(Ordering::SeqCst), 1, "on {}", name(device));
            // Every second column, from the last row up, from the third element on.
            let view = Draft { shape: vec![3, 2], strides: Some(vec![-6, 2]), byte_offset: 14 * 4, ..plain.clone() };
            let x = Array::<f32>::from_dlpack(device, make(&view)).unwrap();
            assert_eq!(x.to_vec().unwrap(), [14.0, 16.0, 8.0, 10.0, 2.0, 4.0], "on {}", name(device));
            assert_eq!((x.transpose() + 1.0).to_vec().unwrap(), [15.0, 9.0, 3.0, 17.0, 11.0, 5.0]);
            drop(x);
            let scalar = Draft { shape: vec![], byte_offset: 20, ..plain.clone() };
            assert_eq!(Array::<f32>::from_dlpack(device, make(&scalar)).unwrap().item().unwrap(), 5.0);
            let empty = Draft { shape: vec![0, 5], ..plain.clone() };
            assert_eq!(Array::<f32>::from_dlpack(device, make(&empty)).unwrap().shape(), [0, 5]);
            drop(make(&plain));
            assert_eq!(deleted.load(Ordering::SeqCst), 5, "on {}", name(device));
        }
    }
}

#[test]
fn what_does_not_fit_is_refused_and_deleted() {
    for device in devices() {
        let good = Draft::of(&[1.0; 8], &[8]);
        let wrong = [
            (Draft { dtype: DLDataType { code: 0, ..F32 }, ..good.clone() }, "element type"),
            (Draft { dtype: DLDataType { lanes: 4, ..F32 }, ..good.clone() }, "lanes: 4"),
            (Draft { dtype: DLDataType { bits: 64, ..F32 }, ..good.clone() }, "bits: 64"),
            (Draft { device: (7, 0), ..good.clone() }, "device_type: 7"),
            (Draft { device: (2, 99), ..good.clone() }, "device_id: 99"),
            (Draft { byte_offset: 2, shape: vec![4], ..good.clone() }, "multiple of 4"),
            (Draft { shape: vec![-1], ..good.clone() }, "negative"),
            (Draft { shape: vec![1 << 40, 1 << 40], ..good.clone() }, "strides"),
            (Draft { shape: vec![4], strides: Some(vec![i64::MAX]), ..good.clone() }, "strides"),
        ];
        for (draft, part) in wrong {
            let deleted = count();
            let error = Array::<f32>::from_dlpack(device, draft.make(&deleted).unwrap()).unwrap_err();
            assert!(error.to_string().contains(part), "{part:?} in {error}");
            assert!(error.to_string().starts_with("from_dlpack"), "{error}");
            assert_eq!(deleted.load(Ordering::SeqCst), 1, "{part}");
        }
        let deleted = count();
        assert!(Draft { version: 2, ..good.clone() }.make(&deleted).unwrap_err().to_string().contains("2.0"));
        assert_eq!(deleted.load(Ordering::SeqCst), 1, "as DLPack asks for");
        // SAFETY: null is refused.
        let nulls = unsafe { (Tensor::from_raw(ptr::null_mut()), Tensor::from_raw_unversioned(ptr::null_mut())) };
        assert!(nulls.0.unwrap_err().to_string().contains("null") && nulls.1.is_err());
        let (mut dl_tensor, manager_ctx) = good.tensor(&deleted);
        dl_tensor.data = ptr::null_mut();
        let managed = DLManagedTensor { dl_tensor, manager_ctx, deleter: Some(delete_old) };
        // SAFETY: it is valid but for the data, which is refused.
        let tensor = unsafe { Tensor::from_raw_unversioned(Box::into_raw(Box::new(managed))) }.unwrap();
        assert!(Array::<f32>::from_dlpack(device, tensor).unwrap_err().to_string().contains("zero"));
        assert_eq!(deleted.load(Ordering::SeqCst), 2);
        assert_eq!((Array::from_slice(device, &[1.0f32]) + 1.0).item().unwrap(), 2.0);
    }
}

/// One element again and again, in more places than any memory has: where that must be copied, an error.
#[test]
fn repeated_elements_past_all_memory() {
    for device in devices() {
        let deleted = count();
        for extent in [1i64 << 40, 1 << 52] {
            let draft = Draft { strides: Some(vec![0]), shape: vec![extent], ..Draft::of(&[7.0], &[1]) };
            match Array::<f32>::from_dlpack(device, draft.make(&deleted).unwrap()) {
                Ok(x) => assert_eq!(x.slice(s![extent - 1]).item().unwrap(), 7.0, "on {}", name(device)),
                Err(error) => assert!(error.to_string().contains("bytes wanted"), "{error} on {}", name(device)),
            }
        }
        assert_eq!(deleted.load(Ordering::SeqCst), 2, "on {}", name(device));
        assert_eq!((Array::from_slice(device, &[1.0f32]) + 1.0).item().unwrap(), 2.0);
    }
}

fn there_and_back<T: Element>(device: &Device) {
    let x = Array::from_slice(device, &small::<T>(60)).reshape(&[5, 12]);
    for view in [x.clone(), x.transpose(), x.flip(1), x.slice(s![1..4, ..;5]), x.slice(s![2])] {
        let wanted = view.to_vec().unwrap();
        let tensor = view.to_dlpack().unwrap();
        let extents: Vec<usize> = tensor.shape().iter().map(|&extent| extent as usize).collect();
        assert_eq!(extents, view.shape());
        assert_eq!(tensor.tensor().dtype.bits as usize, 8 * T::DTYPE.size());
        // DLDataTypeCode of dlpack.h.
        let code = match T::DTYPE.name() {
            "bool" => 6,
            "bf16" => 4,
            "Complex32" | "Complex64" => 5,
            name => ["i", "u", "f"].iter().position(|kind| name.starts_with(kind)).unwrap() as u8,
        };
        assert_eq!(tensor.tensor().dtype.code, code);
        #[cfg(feature = "wgpu")]
        let on_wgpu = device.wgpu().is_some();
        #[cfg(not(feature = "wgpu"))]
        let on_wgpu = false;
        let copied = if on_wgpu { FLAG_IS_COPIED } else { FLAG_READ_ONLY };
        assert_eq!(tensor.flags(), copied, "on {}", name(device));
        // SAFETY: each takes over what the other gives.
        let tensor = unsafe {
            let old = Tensor::from_raw_unversioned(tensor.into_raw_unversioned()).unwrap();
            assert_eq!(old.flags(), 0);
            Tensor::from_raw(old.into_raw()).unwrap()
        };
        let back = Array::<T>::from_dlpack(device, tensor).unwrap();
        same_values(&back.to_vec().unwrap(), &wanted, &format!("{} on {}", T::DTYPE, name(device)));
    }
}

#[test]
fn arrays_of_every_type_go_there_and_back() {
    for device in devices() {
        crate::for_types!(device, [crosslane::f16, f32, f64, i32, i64, u8, u16, u32, u64, bool, crosslane::bf16, i8, i16, crosslane::Complex<f32>, crosslane::Complex<f64>], there_and_back);
        assert!(Array::<f32>::zeros(device, &[2]).reshape(&[3]).to_dlpack().is_err());
        let none = Array::<f32>::zeros(device, &[3, 0]).to_dlpack().unwrap();
        assert_eq!(none.shape(), [3, 0]);
    }
}

/// On the cpu engine a tensor is the array's memory, and outlives it.
#[test]
fn no_copy_where_memory_has_an_address() {
    let Some(device) = fresh("cpu") else { return };
    let x = Array::from_slice(&device, &[1.0f32, 2.0, 3.0, 4.0]);
    let first = x.map_memory().unwrap().as_ptr();
    let tensor = x.slice(s![..;-1]).to_dlpack().unwrap();
    assert_eq!(tensor.strides(), Some(&[-1][..]));
    assert_eq!(tensor.tensor().data.cast_const().cast::<f32>(), first.wrapping_add(3));
    drop(x);
    assert!(device.memory().live > 0);
    spoil(&device);
    // SAFETY: the tensor is a float's, four of them, and there.
    assert_eq!(unsafe { *tensor.tensor().data.cast::<f32>() }, 4.0);
    drop(tensor);
    assert_eq!(device.memory().live, 0);
}

/// An array over another's memory is written nowhere by the way: not while the other is mapped, not while it lives, and not
/// by a kernel that writes in place.
#[test]
fn memory_of_others_is_not_written() {
    for device in [fresh("cpu"), fresh("cpu:checked"), fresh("cuda")].into_iter().flatten() {
        let values = [1.0f32, 2.0, 3.0, 4.0];
        let x = Array::from_slice(&device, &values);
        let mut y = Array::<f32>::from_dlpack(&device, x.to_dlpack().unwrap()).unwrap();
        let guard = x.map_memory().ok();
        let seen = guard.as_ref().map(|guard| guard.to_vec());
        y.write(0, &[77.0]).unwrap();
        y.slice_mut(s![1..2]).assign(78.0).unwrap();
        assert_eq!(guard.as_ref().map(|guard| guard.to_vec()), seen, "on {}", name(&device));
        drop(guard);
        assert_eq!(x.to_vec().unwrap(), values, "on {}", name(&device));
        assert_eq!(y.to_vec().unwrap(), [77.0, 78.0, 3.0, 4.0]);
        let kernel = Kernel::wgsl(
            "@group(0) @binding(0) var<storage, read_write> x: array<f32>;
            @compute @workgroup_size(1) fn main() { x[0] = 5.0; }",
        )
        .unwrap();
        let mut y = Array::<f32>::from_dlpack(&device, x.to_dlpack().unwrap()).unwrap();
        if shares_address(&device) || device.properties().backend == Backend::Cuda {
            let error = kernel.grid([1]).args(Argument::in_place(&y)).launch(&device).unwrap_err();
            assert!(error.to_string().contains("read-only"), "{error}");
        }
        kernel.grid([1]).args(&mut y).launch(&device).unwrap();
        assert_eq!((x.to_vec().unwrap()[0], y.to_vec().unwrap()[0]), (1.0, 5.0), "on {}", name(&device));
        // One that is not marked is written where that is asked for.
        let (deleted, draft) = (count(), Draft::of(&values, &[4]));
        let mut z = Array::<f32>::from_dlpack(&device, draft.make(&deleted).unwrap()).unwrap();
        kernel.grid([1]).args(Argument::in_place(&z)).launch(&device).unwrap();
        assert_eq!(z.to_vec().unwrap()[0], 5.0);
        z.write(3, &[9.0]).unwrap();
        assert_eq!(deleted.load(Ordering::SeqCst), 1, "written to a copy on {}", name(&device));
        assert_eq!(z.to_vec().unwrap(), [5.0, 2.0, 3.0, 9.0]);
    }
}

/// Arrays over one buffer know of each other, also if it is an array's own.
#[test]
#[cfg(feature = "wgpu")]
fn arrays_over_one_wgpu_buffer_share_it() {
    for device in devices() {
        let x = Array::from_slice(device, &[1u32, 2, 3, 4]);
        let Some((buffer, offset)) = x.wgpu_buffer().unwrap() else { continue };
        let mut y = Array::<u32>::from_wgpu_buffer(device, &buffer, offset, &[4]).unwrap();
        y.write(0, &[9]).unwrap();
        let what = format!("on {}", name(device));
        assert_eq!((x.to_vec().unwrap(), y.to_vec().unwrap()), (vec![1, 2, 3, 4], vec![9, 2, 3, 4]), "{what}");
        let kernel = Kernel::wgsl(
            "@group(0) @binding(0) var<storage, read> x: array<u32>;
            @group(0) @binding(1) var<storage, read_write> y: array<u32>;
            @compute @workgroup_size(1) fn main() { y[0] = x[1]; }",
        )
        .unwrap();
        let y = Array::<u32>::from_wgpu_buffer(device, &buffer, offset, &[4]).unwrap();
        let error = kernel.grid([1]).args((&x, Argument::in_place(&y))).launch(device).unwrap_err();
        assert!(error.to_string().contains("memory of its own"), "{error} {what}");
    }
}
