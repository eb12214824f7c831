//! Arrays whose element type is known only at run time: on the host, and on the device.

use super::compare::random;
use super::{Outcome, npy};
use crosslane::array::HostArray;
use crosslane::export::Exporter;
use crosslane::kernel::Access;
use crosslane::op::Value;
use crosslane::{Argument, Array, Complex, DType, Device, Element, bf16, f16};
use std::fmt::Display;
use std::path::Path;
use std::str::FromStr;

/// An element that files and arguments can hold.
pub trait Plain: Element + FromStr + Display {}

impl<T: Element + FromStr + Display> Plain for T {}

/// Values on the host.
pub type Values<T> = HostArray<T>;

/// [`Values`] of any type.
pub trait OnHost {
    fn upload(&self, device: &Device) -> Outcome<Box<dyn OnDevice>>;
    /// The bytes as a kernel sees them.
    fn bytes(&self) -> Vec<u8>;
    /// Bytes of one element.
    fn size(&self) -> usize;
    fn write(&self, path: &Path) -> Outcome;
    /// Type, shape and the first elements.
    fn describe(&self) -> String;
}

/// An [`Array`] of any type.
pub trait OnDevice {
    fn argument(&self) -> Argument<'static>;
    fn fetch(&self) -> Outcome<Box<dyn OnHost>>;
    /// Names it in an export: an input if a kernel only reads it.
    fn export<'a>(&self, exporter: Exporter<'a>, name: &'a str, access: Access) -> Exporter<'a>;
}

/// Elements that are shown of an array.
const SHOWN: usize = 8;

impl<T: Plain> OnHost for Values<T> {
    fn upload(&self, device: &Device) -> Outcome<Box<dyn OnDevice>> {
        let array = self.to_device(device);
        array.check().map_err(super::told)?;
        Ok(Box::new(array))
    }

    fn bytes(&self) -> Vec<u8> {
        bytemuck::cast_slice(self.values()).to_vec()
    }

    fn size(&self) -> usize {
        T::DTYPE.size()
    }

    fn write(&self, path: &Path) -> Outcome {
        npy::write(path, self)
    }

    fn describe(&self) -> String {
        let first: Vec<String> = self.values().iter().take(SHOWN).map(|value| value.to_string()).collect();
        let more = if self.values().len() > SHOWN { " .." } else { "" };
        format!("{} {:?}: {}{more}", T::DTYPE, self.shape(), first.join(" "))
    }
}

impl<T: Plain> OnDevice for Array<T> {
    fn argument(&self) -> Argument<'static> {
        Argument::in_place(self)
    }

    fn fetch(&self) -> Outcome<Box<dyn OnHost>> {
        Ok(Box::new(self.to_host().map_err(super::told)?))
    }

    fn export<'a>(&self, exporter: Exporter<'a>, name: &'a str, access: Access) -> Exporter<'a> {
        match access {
            Access::Read => exporter.input(name, self),
            Access::Write => exporter.output(name, self),
        }
    }
}

/// Calls a generic function with the Rust type of a [`DType`].
macro_rules! typed {
    ($dtype:expr, $call:ident($($argument:expr),*)) => {
        match $dtype {
            DType::BF16 => $call::<bf16>($($argument),*),
            DType::F16 => $call::<f16>($($argument),*),
            DType::F32 => $call::<f32>($($argument),*),
            DType::F64 => $call::<f64>($($argument),*),
            DType::I8 => $call::<i8>($($argument),*),
            DType::I16 => $call::<i16>($($argument),*),
            DType::I32 => $call::<i32>($($argument),*),
            DType::I64 => $call::<i64>($($argument),*),
            DType::U8 => $call::<u8>($($argument),*),
            DType::U16 => $call::<u16>($($argument),*),
            DType::U32 => $call::<u32>($($argument),*),
            DType::U64 => $call::<u64>($($argument),*),
            DType::Bool => $call::<bool>($($argument),*),
            DType::Complex32 => $call::<Complex<f32>>($($argument),*),
            DType::Complex64 => $call::<Complex<f64>>($($argument),*),
            other => Err(format!("{other} is a type that the program does not know").into()),
        }
    };
}
pub(super) use typed;

/// The forms of `--bind`, for messages.
pub const FORMS: &str =
    "a .npy file, zeros:TYPE:SHAPE, random:TYPE:SHAPE, arange:TYPE:SHAPE or value:TYPE:VALUE[,VALUE..]";

/// The array that an argument names: a file, or a form as `zeros:f32:1024` or `random:f32:64x64`.
pub fn parse(text: &str) -> Outcome<Box<dyn OnHost>> {
    let mut parts = text.splitn(3, ':');
    match (parts.next(), parts.next(), parts.next()) {
        (Some(form @ ("zeros" | "random" | "arange" | "value")), Some(ty), Some(rest)) => {
            typed!(dtype(text, ty)?, make(text, form, rest))
        }
        (Some("zeros" | "random" | "arange" | "value"), ..) => Err(format!("{text}: wanted {FORMS}").into()),
        _ => npy::read(Path::new(text)),
    }
}

/// The values of `TYPE:VALUE[,VALUE..]`.
pub fn parse_values(text: &str) -> Outcome<Box<dyn OnHost>> {
    match text.split_once(':') {
        Some((ty, rest)) => typed!(dtype(text, ty)?, make(text, "value", rest)),
        None => Err(format!("{text}: wanted TYPE:VALUE[,VALUE..], as u32:5").into()),
    }
}

fn dtype(text: &str, name: &str) -> Outcome<DType> {
    DType::ALL.into_iter().find(|dtype| dtype.name() == name).ok_or_else(|| {
        let names: Vec<&str> = DType::ALL.iter().map(|dtype| dtype.name()).collect();
        format!("{text}: wanted a type, one of {}, got {name:?}", names.join(" ")).into()
    })
}

fn make<T: Plain>(text: &str, form: &str, rest: &str) -> Outcome<Box<dyn OnHost>> {
    let (shape, values) = if form == "value" {
        let value = |part: &str| {
            part.trim().parse::<T>().map_err(|_| format!("{text}: wanted a value of {}, got {part:?}", T::DTYPE))
        };
        let values = rest.split(',').map(value).collect::<Result<Vec<T>, String>>()?;
        (vec![values.len()], values)
    } else {
        let shape = shape(text, rest)?;
        let count = shape.iter().product();
        let element = |i: usize| match form {
            "zeros" => Value::Int(0),
            "arange" => Value::Int(i as i128),
            // 0..1 for floats, 0..256 for integers, either for masks.
            _ => match T::DTYPE {
                DType::Complex32 | DType::Complex64 => Value::Complex(random(1, i) as f64, random(2, i) as f64),
                DType::BF16 | DType::F16 | DType::F32 | DType::F64 => Value::Float(random(1, i) as f64),
                DType::Bool => Value::Bool(random(1, i) < 0.5),
                _ => Value::Int((random(1, i) * 256.0) as i128),
            },
        };
        let mut values: Vec<T> = Vec::new();
        values.try_reserve_exact(count).map_err(|error| format!("{text}: {error}"))?;
        values.extend((0..count).map(|i| T::from_scalar(element(i).scalar(T::DTYPE))));
        (shape, values)
    };
    Ok(Box::new(HostArray::new(&shape, values).map_err(super::told)?))
}

/// `1024`, or `64x64`.
fn shape(text: &str, rest: &str) -> Outcome<Vec<usize>> {
    let extents: Option<Vec<usize>> = rest.split('x').map(|extent| extent.parse().ok()).collect();
    let counted = extents.filter(|shape| shape.iter().try_fold(1usize, |n, &extent| n.checked_mul(extent)).is_some());
    counted.ok_or_else(|| format!("{text}: wanted a shape, as 1024 or 64x64, got {rest:?}").into())
}
