//! DLPack: tensors of any type, device, shape, strides and offset become arrays with the elements that they describe, or are
//! refused, and are deleted once.
//!
//! A tensor that describes memory beyond its own breaks the contract of `Tensor::from_raw`: one is only given away if the
//! import must refuse it for another reason.

use crate::harness::{Target, Verdict, fuzz};
use crate::mutate::Form;
use crate::tape::Tape;
use crosslane::share::dlpack::{
    DLDataType, DLDevice, DLManagedTensor, DLManagedTensorVersioned, DLPackVersion, DLTensor, Tensor,
};
use crosslane::{Array, Device, Result};
use std::ffi::c_void;
use std::ptr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

/// Elements that a tensor has memory for.
const ROOM: usize = 64;
/// Elements that are read and compared; of arrays with more, which repeat elements, one is.
const READ: i128 = 1 << 14;

const F32: DLDataType = DLDataType { code: 2, bits: 32, lanes: 1 };

/// What a tensor says of itself.
#[derive(Debug)]
struct Draft {
    dtype: DLDataType,
    device: DLDevice,
    ndim: i32,
    shape: Option<Vec<i64>>,
    strides: Option<Vec<i64>>,
    /// From the memory's begin on, of which the address is a multiple of 8.
    byte_offset: u64,
    null: bool,
    version: u32,
    old: bool,
    flags: u64,
}

impl Draft {
    fn read(t: &mut Tape) -> Draft {
        let seldom = |t: &mut Tape| t.below(12) == 11;
        let dtype = match seldom(t) {
            true => DLDataType { code: t.byte(), bits: t.byte(), lanes: t.byte() as u16 },
            false => F32,
        };
        let device =
            DLDevice { device_type: if seldom(t) { t.number() as i32 } else { 1 }, device_id: t.number() as i32 };
        let shape = t.several(5, Tape::number);
        let strides = (t.below(3) > 0).then(|| shape.iter().map(|_| t.number()).collect());
        let ndim = if seldom(t) { t.number().min(shape.len() as i64) as i32 } else { shape.len() as i32 };
        let byte_offset = if seldom(t) { t.number() as u64 } else { 4 * t.below(ROOM) as u64 };
        let (null, version) = (seldom(t), if seldom(t) { t.byte() as u32 } else { 1 });
        let shape = (!seldom(t)).then_some(shape);
        Draft {
            dtype,
            device,
            ndim,
            shape,
            strides,
            byte_offset,
            null,
            version,
            old: t.below(2) == 1,
            flags: t.below(4) as u64,
        }
    }

    /// The extents that count.
    fn extents(&self) -> &[i64] {
        let shape = self.shape.as_deref().unwrap_or_default();
        &shape[..usize::try_from(self.ndim).unwrap_or(0).min(shape.len())]
    }

    fn steps(&self) -> Vec<i128> {
        match &self.strides {
            Some(strides) => strides.iter().map(|&stride| stride as i128).collect(),
            None => {
                let product =
                    |from: usize| self.extents()[from + 1..].iter().fold(1i128, |n, &e| n.saturating_mul(e as i128));
                (0..self.extents().len()).map(product).collect()
            }
        }
    }

    /// Number of elements, saturated.
    fn len(&self) -> i128 {
        self.extents().iter().fold(1i128, |len, &extent| len.saturating_mul(extent as i128))
    }

    /// The lowest and the highest element's place in memory, in elements.
    fn reach(&self) -> [i128; 2] {
        let first = self.byte_offset as i128 / 4;
        self.extents().iter().zip(self.steps()).fold([first; 2], |[low, high], (&extent, step)| {
            let far = (extent as i128 - 1).saturating_mul(step);
            [low.saturating_add(far.min(0)), high.saturating_add(far.max(0))]
        })
    }

    /// Whether the import must refuse it, as its documentation says, before it looks at elements.
    fn is_refused(&self) -> bool {
        let extents = self.extents();
        let wrong_rank = self.ndim < 0 || self.ndim as usize != extents.len();
        let elsewhere = ![1, 3].contains(&self.device.device_type);
        let empty = extents.contains(&0);
        // An extent of 0 hides no others: elsewhere in an array they are counted.
        let bytes = extents.iter().fold(4i128, |bytes, &extent| bytes.saturating_mul(extent.max(1) as i128));
        self.dtype != F32
            || (self.version != 1 && !self.old)
            || wrong_rank
            || extents.iter().any(|&extent| extent < 0)
            || empty && bytes > i64::MAX as i128
            || !empty && (elsewhere || self.null || !self.byte_offset.is_multiple_of(4))
    }

    /// Whether all that it describes is its own memory, or nothing is.
    fn is_sound(&self) -> bool {
        let [low, high] = self.reach();
        self.extents().contains(&0) || (low >= 0 && high < ROOM as i128)
    }
}

/// A tensor's own memory.
struct Owner {
    shape: Vec<i64>,
    strides: Vec<i64>,
    values: Vec<u64>,
    deleted: Arc<AtomicU32>,
}

/// Frees what a tensor owns.
///
/// # Safety
///
/// The context is that of `make`, and this is its only call.
unsafe fn free(context: *mut c_void) {
    // SAFETY: as the caller says.
    let owner = unsafe { Box::from_raw(context.cast::<Owner>()) };
    owner.deleted.fetch_add(1, Ordering::SeqCst);
}

unsafe extern "C" fn delete(tensor: *mut DLManagedTensorVersioned) {
    // SAFETY: made by make(), and called once.
    unsafe { free(Box::from_raw(tensor).manager_ctx) }
}

unsafe extern "C" fn delete_old(tensor: *mut DLManagedTensor) {
    // SAFETY: as above.
    unsafe { free(Box::from_raw(tensor).manager_ctx) }
}

fn make(draft: &Draft, deleted: &Arc<AtomicU32>) -> Result<Tensor> {
    let mut values = vec![0u64; ROOM / 2];
    bytemuck::cast_slice_mut::<u64, f32>(&mut values).iter_mut().enumerate().for_each(|(at, x)| *x = at as f32);
    let (shape, strides) = (draft.shape.clone().unwrap_or_default(), draft.strides.clone().unwrap_or_default());
    let mut owner = Box::new(Owner { shape, strides, values, deleted: deleted.clone() });
    let dl_tensor = DLTensor {
        data: if draft.null { ptr::null_mut() } else { owner.values.as_mut_ptr().cast() },
        device: draft.device,
        ndim: draft.ndim,
        dtype: draft.dtype,
        shape: if draft.shape.is_some() { owner.shape.as_mut_ptr() } else { ptr::null_mut() },
        strides: if draft.strides.is_some() { owner.strides.as_mut_ptr() } else { ptr::null_mut() },
        byte_offset: draft.byte_offset,
    };
    let manager_ctx = Box::into_raw(owner).cast();
    if draft.old {
        let tensor = Box::new(DLManagedTensor { dl_tensor, manager_ctx, deleter: Some(delete_old) });
        // SAFETY: it is nobody else's, and what is wrong with it is refused.
        return unsafe { Tensor::from_raw_unversioned(Box::into_raw(tensor)) };
    }
    let version = DLPackVersion { major: draft.version, minor: 0 };
    let (deleter, flags) = (Some(delete as _), draft.flags);
    let tensor = Box::new(DLManagedTensorVersioned { version, manager_ctx, deleter, flags, dl_tensor });
    // SAFETY: as above.
    unsafe { Tensor::from_raw(Box::into_raw(tensor)) }
}

/// The elements that a sound tensor describes, in row-major order.
fn elements(draft: &Draft) -> Vec<f32> {
    let steps = draft.steps();
    let place = |mut flat: i128| {
        let mut at = draft.byte_offset as i128 / 4;
        for (&extent, step) in draft.extents().iter().zip(&steps).rev() {
            at += flat % extent as i128 * step;
            flat /= extent as i128;
        }
        at as f32
    };
    (0..draft.len()).map(place).collect()
}

/// An imported array's elements are those of the tensor, and it is exported as it is.
fn compare(draft: &Draft, array: &Array<f32>) -> std::result::Result<(), String> {
    if draft.len() > READ {
        return array.explain().map(drop).map_err(|error| error.to_string());
    }
    let wanted = elements(draft);
    let got = array.to_vec().map_err(|error| error.to_string())?;
    let later = (array + 1.0).to_vec().map_err(|error| error.to_string())?;
    if got != wanted || later.iter().zip(&wanted).any(|(later, wanted)| *later != wanted + 1.0) {
        return Err(format!("got {got:?} and one more {later:?}, wanted {wanted:?} of {draft:?}"));
    }
    let tensor = array.to_dlpack().map_err(|error| error.to_string())?;
    let back = Array::<f32>::from_dlpack(array.device(), tensor).and_then(|back| back.to_vec());
    match back {
        Ok(back) if back == wanted => Ok(()),
        other => Err(format!("exported and imported again: {other:?}, wanted {wanted:?}")),
    }
}

fn case(devices: &[Device], input: &[u8]) -> Verdict {
    let mut tape = Tape::new(input);
    let draft = Draft::read(&mut tape);
    let device = &devices[tape.below(devices.len())];
    let refused = draft.is_refused();
    if !refused && !draft.is_sound() {
        return Ok("not a tensor".into());
    }
    let deleted = Arc::new(AtomicU32::new(0));
    let array = make(&draft, &deleted).and_then(|tensor| Array::<f32>::from_dlpack(device, tensor));
    let outcome = match &array {
        Ok(_) if refused => return Err(format!("imported, although it is wrong: {draft:?}")),
        Ok(array) => compare(&draft, array).map(|()| format!("rank {} {:?}", array.rank(), draft.strides.is_some()))?,
        Err(error) if refused || draft.len() > READ => error.to_string(),
        Err(error) => return Err(format!("refused: {error}: {draft:?}")),
    };
    drop(array);
    match deleted.load(Ordering::SeqCst) {
        1 => Ok(outcome),
        times => Err(format!("deleted {times} times: {draft:?}")),
    }
}

#[test]
fn tensors() {
    let devices = ["cpu", "cpu:checked"].map(|request| Device::open(request).unwrap());
    fuzz(&Target { name: "dlpack", form: Form::Bytes, also: &[] }, |input| case(&devices, input));
}
