//! NumPy's files: whatever their bytes are, reading them ends in an array or an error.

use crate::harness::{Target, Verdict, fuzz};
use crate::mutate::Form;
use crosslane::array::HostArray;
use crosslane::npy::{self, Npz};
use crosslane::{Complex, DType, Element, bf16, f16};
use std::path::{Path, PathBuf};

/// An array has the elements of its shape, and comes back from a file of its own.
fn sound<T: Element>(array: &HostArray<T>, file: &Path) -> Result<(), String> {
    let wanted = array.shape().iter().try_fold(1usize, |len, &extent| len.checked_mul(extent));
    if wanted != Some(array.values().len()) {
        return Err(format!("{} elements in shape {:?}", array.values().len(), array.shape()));
    }
    let copy = file.with_extension("copy");
    // More axes than a header counts cannot be written.
    let Ok(()) = npy::save(&copy, array) else { return Ok(()) };
    let back = npy::load::<T>(&copy).map_err(|error| format!("what was saved is not read: {error}"))?;
    let bytes = |array: &HostArray<T>| bytemuck::cast_slice::<_, u8>(array.values()).to_vec();
    match (back.shape() == array.shape(), bytes(&back) == bytes(array)) {
        (true, true) => Ok(()),
        _ => Err(format!("saved in shape {:?}, read in shape {:?}", array.shape(), back.shape())),
    }
}

/// The outcome of reading in words, or what is wrong with an array that was read.
fn outcome<T: Element>(read: crosslane::Result<HostArray<T>>, file: &Path) -> Verdict {
    match read {
        Ok(array) => sound(&array, file).map(|()| format!("{} of rank {}", T::DTYPE, array.shape().len())),
        Err(error) => Ok(error.to_string().rsplit(".bin").next().unwrap_or_default().into()),
    }
}

macro_rules! of_type {
    ($dtype:expr, $read:ident) => {
        match $dtype {
            DType::F16 => $read!(f16),
            DType::BF16 => $read!(bf16),
            DType::F32 => $read!(f32),
            DType::F64 => $read!(f64),
            DType::I8 => $read!(i8),
            DType::I16 => $read!(i16),
            DType::I32 => $read!(i32),
            DType::I64 => $read!(i64),
            DType::U8 => $read!(u8),
            DType::U16 => $read!(u16),
            DType::U32 => $read!(u32),
            DType::U64 => $read!(u64),
            DType::Bool => $read!(bool),
            DType::Complex32 => $read!(Complex<f32>),
            DType::Complex64 => $read!(Complex<f64>),
            other => panic!("the reader knows {other}, and this test does not"),
        }
    };
}

fn archive(file: &Path) -> Verdict {
    let mut npz = match Npz::open(file) {
        Ok(npz) => npz,
        Err(error) => return Ok(error.to_string().rsplit(".bin").next().unwrap_or_default().into()),
    };
    let mut outcomes = vec![];
    for name in npz.names().into_iter().take(20) {
        let Ok(dtype) = npz.dtype(&name) else { continue };
        macro_rules! load {
            ($type:ty) => {
                outcome(npz.load::<$type>(&name), file)
            };
        }
        outcomes.push(of_type!(dtype, load)?);
    }
    outcomes.dedup();
    Ok(outcomes.join(", "))
}

fn case(file: &Path, input: &[u8]) -> Verdict {
    std::fs::write(file, input).expect("a temporary file is written");
    macro_rules! load {
        ($type:ty) => {
            outcome(npy::load::<$type>(file), file)
        };
    }
    let single = match npy::dtype(file) {
        Ok(dtype) => of_type!(dtype, load)?,
        Err(error) if npy::load::<f32>(file).is_ok() => return Err(format!("read, although {error}")),
        Err(error) => error.to_string().rsplit(".bin").next().unwrap_or_default().into(),
    };
    if input.starts_with(b"PK") { archive(file) } else { Ok(single) }
}

#[test]
fn npy_files() {
    let file: PathBuf = std::env::temp_dir().join(format!("crosslane-fuzz-{}.bin", std::process::id()));
    fuzz(&Target { name: "npy", form: Form::Bytes, also: &[] }, |input| case(&file, input));
    let _ = std::fs::remove_file(file.with_extension("copy"));
    let _ = std::fs::remove_file(file);
}
