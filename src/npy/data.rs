//! The elements of a `.npy` file.

use super::header::Header;
use crate::array::{HostArray, Layout};
use crate::element::{DType, Element};
use std::io::{self, Read, Write};

/// Bytes that are read at once: a file that says it has more than there is takes no more memory than it has.
const CHUNK: usize = 1 << 20;

/// Header and elements.
pub fn read<T: Element>(file: &mut impl Read) -> Result<HostArray<T>, String> {
    let header = Header::read(file)?;
    if header.dtype != T::DTYPE {
        return Err(format!("wanted elements of {}, got {}", T::DTYPE, header.dtype));
    }
    let bytes = header.shape.iter().try_fold(T::DTYPE.size(), |bytes, &extent| bytes.checked_mul(extent));
    let short = |got: String| format!("wanted the bytes of shape {:?} of {}, got {got}", header.shape, T::DTYPE);
    let bytes = bytes.ok_or_else(|| short("a shape past 2^64 bytes".into()))?;
    let values = elements::<T>(file, bytes, header.swapped).map_err(|error| match error {
        Failed::Short(got) => short(format!("{got} bytes")),
        Failed::Other(message) => message,
    })?;
    let (shape, values) = match header.fortran {
        false => (header.shape, values),
        true => (header.shape.clone(), in_c_order(&header.shape, &values)),
    };
    HostArray::new(&shape, values).map_err(|error| error.to_string())
}

enum Failed {
    /// The number of bytes present.
    Short(usize),
    Other(String),
}

fn elements<T: Element>(file: &mut impl Read, bytes: usize, swapped: bool) -> Result<Vec<T>, Failed> {
    let size = T::DTYPE.size();
    let (mut stored, mut chunk) = (Vec::<T::Stored>::new(), Vec::new());
    let mut left = bytes;
    while left > 0 {
        chunk.clear();
        let count = left.min(CHUNK);
        file.take(count as u64).read_to_end(&mut chunk).map_err(|error| Failed::Other(error.to_string()))?;
        if chunk.len() < count {
            return Err(Failed::Short(bytes - left + chunk.len()));
        }
        if swapped {
            // Of a complex number each part is.
            chunk.chunks_exact_mut(T::DTYPE.real().size()).for_each(|element| element.reverse());
        }
        if T::DTYPE == DType::Bool && chunk.iter().any(|&byte| byte > 1) {
            return Err(Failed::Other("invalid value for bool: wanted 0 or 1".into()));
        }
        stored.extend(chunk.chunks_exact(size).map(bytemuck::pod_read_unaligned::<T::Stored>));
        left -= count;
    }
    Ok(T::from_stored(stored))
}

/// The elements of an array whose first index runs fastest, in row-major order.
fn in_c_order<T: Copy>(shape: &[usize], values: &[T]) -> Vec<T> {
    let turned: Vec<usize> = shape.iter().rev().copied().collect();
    let axes: Vec<usize> = (0..shape.len()).rev().collect();
    let layout = Layout::contiguous(&turned).permute(&axes);
    (0..values.len()).map(|index| values[layout.address(index)]).collect()
}

/// Header and elements.
pub fn write<T: Element>(file: &mut impl Write, array: &HostArray<T>) -> io::Result<()> {
    file.write_all(&Header::bytes(T::DTYPE, array.shape()))?;
    file.write_all(bytemuck::cast_slice(array.values()))
}
