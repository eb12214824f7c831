//! NumPy's `.npy` files.

use super::data::{OnHost, Plain, Values, typed};
use super::{Outcome, caught};
use crosslane::{DType, f16};
use npyz::{NpyFile, NpyHeader, Order, TypeChar, WriteOptions, WriterBuilder};
use std::fs::File;
use std::io::{BufReader, BufWriter, Seek, Write};
use std::path::Path;

/// What npyz reads and writes.
pub trait Stored: npyz::Deserialize + npyz::AutoSerialize {}

impl<T: npyz::Deserialize + npyz::AutoSerialize> Stored for T {}

/// An array from a file, in either byte order.
pub fn read(path: &Path) -> Outcome<Box<dyn OnHost>> {
    let name = path.display();
    let fails = |error: std::io::Error| format!("{name}: {error}");
    let file = File::open(path).map_err(fails)?;
    let length = file.metadata().map_err(fails)?.len();
    let mut reader = BufReader::new(file);
    // npyz 0.9.1 multiplies the extents without a check.
    let header = caught(|| NpyHeader::from_reader(&mut reader)).map_err(|error| format!("{name}: {error}"))?;
    let header = header.map_err(|error| format!("{name}: not a .npy file: {error}"))?;
    let there = length.saturating_sub(reader.stream_position().map_err(fails)?);
    let dtype = dtype(&header).map_err(|got| format!("{name}: wanted elements of {}, got {got}", names()))?;
    if header.order() == Order::Fortran && header.shape().iter().filter(|&&extent| extent != 1).count() > 1 {
        return Err(format!("{name}: wanted C order, got Fortran order: save numpy.ascontiguousarray(x)").into());
    }
    let count = header.shape().iter().try_fold(dtype.size() as u64, |bytes, &extent| bytes.checked_mul(extent));
    match count {
        Some(wanted) if wanted <= there => typed!(dtype, elements(&name.to_string(), header, reader)),
        _ => {
            let shape = header.shape();
            Err(format!("{name}: wanted the bytes of shape {shape:?} of {dtype}, got {there} bytes").into())
        }
    }
}

fn elements<T: Plain>(name: &str, header: NpyHeader, reader: BufReader<File>) -> Outcome<Box<dyn OnHost>> {
    let shape = header.shape().iter().map(|&extent| extent as usize).collect();
    let values = NpyFile::with_header(header, reader).into_vec::<T>().map_err(|error| format!("{name}: {error}"))?;
    Ok(Box::new(Values { shape, values }))
}

/// The type of a file's elements; an error says what it is instead.
fn dtype(header: &NpyHeader) -> Result<DType, String> {
    let npyz::DType::Plain(plain) = header.dtype() else { return Err("records".into()) };
    let found = match (plain.type_char(), plain.num_bytes()) {
        (TypeChar::Float, Some(2)) => DType::F16,
        (TypeChar::Float, Some(4)) => DType::F32,
        (TypeChar::Float, Some(8)) => DType::F64,
        (TypeChar::Int, Some(4)) => DType::I32,
        (TypeChar::Int, Some(8)) => DType::I64,
        (TypeChar::Uint, Some(1)) => DType::U8,
        (TypeChar::Uint, Some(2)) => DType::U16,
        (TypeChar::Uint, Some(4)) => DType::U32,
        (TypeChar::Uint, Some(8)) => DType::U64,
        (TypeChar::Bool, _) => DType::Bool,
        _ => return Err(plain.to_string()),
    };
    Ok(found)
}

fn names() -> String {
    DType::ALL.map(DType::name).join(" ")
}

/// Writes an array in C order.
pub fn write<T: Plain>(path: &Path, array: &Values<T>) -> Outcome {
    let shape: Vec<u64> = array.shape.iter().map(|&extent| extent as u64).collect();
    let save = || -> std::io::Result<()> {
        let mut file = BufWriter::new(File::create(path)?);
        let mut writer = WriteOptions::new().default_dtype().shape(&shape).writer(&mut file).begin_nd()?;
        writer.extend(array.values.iter().copied())?;
        writer.finish()?;
        file.flush()
    };
    save().map_err(|error| format!("{}: {error}", path.display()).into())
}
