//! The header of a `.npy` file: format versions 1 to 3.

use crate::element::DType;
use std::io::Read;

const MAGIC: &[u8] = b"\x93NUMPY";
/// Bytes of text at most: NumPy refuses more than 10,000 of what it does not trust.
const MOST: u32 = 1 << 16;
/// What the header's length with all before it is a multiple of.
const ALIGNMENT: usize = 64;

/// Type, byte order, order and shape.
pub struct Header {
    pub dtype: DType,
    /// Whether bytes are in the other order than the host's.
    pub swapped: bool,
    /// Whether the first index runs fastest.
    pub fortran: bool,
    pub shape: Vec<usize>,
}

impl Header {
    /// Reads up to the first element.
    pub fn read(file: &mut impl Read) -> Result<Header, String> {
        let text = text(file).map_err(|why| format!("not a .npy file: {why}"))?;
        let missing = |key: &str| format!("not a .npy file: its header has no {key}: {text}");
        let value = |key: &str| value(&text, key).ok_or_else(|| missing(key));
        let descr = value("descr")?;
        let Some(descr) = quoted(descr) else {
            return Err(format!("wanted elements of {}, got records", names()));
        };
        let (dtype, swapped) = element(descr).ok_or_else(|| format!("wanted elements of {}, got {descr}", names()))?;
        let fortran = value("fortran_order")?.starts_with("True");
        let shape = extents(value("shape")?).ok_or_else(|| missing("shape"))?;
        Ok(Header { dtype, swapped, fortran, shape })
    }

    /// The bytes before the elements of an array in C order.
    pub fn bytes(dtype: DType, shape: &[usize]) -> Vec<u8> {
        let extents: String = shape.iter().map(|extent| format!("{extent}, ")).collect();
        let descr = descr(dtype);
        let text = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': ({}), }}", extents.trim_end());
        // Version 1 counts up to 65,535: some 3,000 axes.
        let before = MAGIC.len() + 4;
        let padded = (before + text.len() + 1).next_multiple_of(ALIGNMENT) - before;
        let text = format!("{text:<0$}\n", padded - 1);
        [MAGIC, &[1, 0], &(text.len() as u16).to_le_bytes(), text.as_bytes()].concat()
    }
}

/// The text of the header, which is a dictionary of Python's.
fn text(file: &mut impl Read) -> Result<String, String> {
    let mut take = |count: usize| -> Result<Vec<u8>, String> {
        let mut bytes = vec![0; count];
        file.read_exact(&mut bytes).map(|()| bytes).map_err(|error| error.to_string())
    };
    if take(MAGIC.len())? != MAGIC {
        return Err("it does not begin as one".into());
    }
    let length = match take(2)?[0] {
        1 => u16::from_le_bytes(take(2)?.try_into().expect("two bytes")) as u32,
        2 | 3 => u32::from_le_bytes(take(4)?.try_into().expect("four bytes")),
        version => return Err(format!("it has version {version}, wanted 1 to 3")),
    };
    if length > MOST {
        return Err(format!("its header has {length} bytes, wanted {MOST} at most"));
    }
    String::from_utf8(take(length as usize)?).map_err(|error| error.to_string())
}

/// What stands after a key.
fn value<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    let after = |quote: char| text.split_once(&format!("{quote}{key}{quote}"));
    let (_, rest) = after('\'').or_else(|| after('"'))?;
    Some(rest.trim_start().strip_prefix(':')?.trim_start())
}

fn quoted(text: &str) -> Option<&str> {
    let quote = text.chars().next().filter(|quote| ['\'', '"'].contains(quote))?;
    text[1..].split_once(quote).map(|(inside, _)| inside)
}

/// A tuple of numbers, to which Python 2 gave an L.
fn extents(text: &str) -> Option<Vec<usize>> {
    let (inside, _) = text.strip_prefix('(')?.split_once(')')?;
    let parts = inside.split(',').map(|part| part.trim().trim_end_matches('L')).filter(|part| !part.is_empty());
    parts.map(|part| part.parse().ok()).collect()
}

/// Type and byte order of a description, as `<f4`.
fn element(descr: &str) -> Option<(DType, bool)> {
    let dtype = DType::ALL.into_iter().find(|&dtype| descr.get(1..) == Some(code(dtype)))?;
    let swapped = match descr.as_bytes()[0] {
        b'<' => cfg!(target_endian = "big"),
        b'>' => cfg!(target_endian = "little"),
        b'=' | b'|' => false,
        _ => return None,
    };
    Some((dtype, swapped && dtype.size() > 1))
}

fn descr(dtype: DType) -> String {
    let order = match (dtype.size(), cfg!(target_endian = "little")) {
        (1, _) => '|',
        (_, true) => '<',
        (_, false) => '>',
    };
    format!("{order}{}", code(dtype))
}

fn code(dtype: DType) -> &'static str {
    match dtype {
        // NumPy has no bfloat16: its bits, as `ml_dtypes` writes them.
        DType::BF16 => "V2",
        DType::F16 => "f2",
        DType::F32 => "f4",
        DType::F64 => "f8",
        DType::I8 => "i1",
        DType::I16 => "i2",
        DType::I32 => "i4",
        DType::I64 => "i8",
        DType::U8 => "u1",
        DType::U16 => "u2",
        DType::U32 => "u4",
        DType::U64 => "u8",
        DType::Bool => "b1",
        DType::Complex32 => "c8",
        DType::Complex64 => "c16",
        _ => unreachable!("each of DType::ALL has its code above"),
    }
}

fn names() -> String {
    DType::ALL.map(DType::name).join(" ")
}
