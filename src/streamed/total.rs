//! The sum of a piece in a type that holds it, exact for integers on every device.

use super::run::{Work, ahead};
use crate::array::Array;
use crate::element::Number;
use crosslane_core::error::{CallSite, Result};
use half::f16;

/// Elements whose halves of 16 bits are added up in 32 bits without overflow.
const HALVES: usize = 1 << 16;
/// Elements that are added up in f32; the sums of so many are added up in f64, on the host.
const SINGLES: usize = 1 << 12;

/// A number that [`Streamed::sum`](super::Streamed::sum) adds up: `f16 f32 f64 i32 i64 u32 u64`.
pub trait Total: Number {
    /// What the sum is: `f64`, `i64` or `u64`.
    type Sum: Copy + Default + Send + 'static;
    #[doc(hidden)]
    fn of_piece(piece: &Array<Self>, at: CallSite) -> Result<Work<Self::Sum>>;
    #[doc(hidden)]
    fn add(a: Self::Sum, b: Self::Sum) -> Self::Sum;
    #[doc(hidden)]
    fn to_f64(sum: Self::Sum) -> f64;
}

macro_rules! totals {
    ($($type:ty => $sum:ty, $of_piece:expr, $add:expr;)*) => {$(
        impl Total for $type {
            type Sum = $sum;
            fn of_piece(piece: &Array<$type>, at: CallSite) -> Result<Work<$sum>> {
                $of_piece(piece, at)
            }
            fn add(a: $sum, b: $sum) -> $sum {
                $add(a, b)
            }
            fn to_f64(sum: $sum) -> f64 {
                sum as f64
            }
        }
    )*};
}

totals! {
    f16 => f64, |piece: &Array<f16>, at| of_singles(&piece.cast(), at), |a, b| a + b;
    f32 => f64, of_singles, |a, b| a + b;
    f64 => f64, of_wide, |a, b| a + b;
    i32 => i64, of_signed, i64::wrapping_add;
    i64 => i64, of_wide, i64::wrapping_add;
    u32 => u64, of_unsigned, u64::wrapping_add;
    u64 => u64, of_wide, u64::wrapping_add;
}

fn of_wide<T: Number>(piece: &Array<T>, at: CallSite) -> Result<Work<T>> {
    let sum = piece.sum();
    ahead(&[&sum], at)?;
    Ok(Box::new(move || sum.item()))
}

/// The sum of the numbers raised to 0 and above, less what they were raised by.
fn of_signed(piece: &Array<i32>, at: CallSite) -> Result<Work<i64>> {
    let raised = of_unsigned(&(piece.cast::<u32>() ^ (1 << 31)), at)?;
    let by = (piece.len() as i64) << 31;
    Ok(Box::new(move || raised().map(|sum| sum as i64 - by)))
}

fn of_unsigned(piece: &Array<u32>, at: CallSite) -> Result<Work<u64>> {
    match piece.device().caps().i64 {
        true => of_wide(&piece.cast::<u64>(), at),
        false => of_halves(piece, at),
    }
}

/// Without integers of 64 bits: the lower and the upper halves are added up by rows, and the rows' sums on the host.
fn of_halves(piece: &Array<u32>, at: CallSite) -> Result<Work<u64>> {
    let low = sums_of_rows(&(piece & 0xffff), HALVES, at)?;
    let high = sums_of_rows(&(piece >> 16), HALVES, at)?;
    Ok(Box::new(move || {
        let [low, high] = [low()?, high()?].map(|sums| sums.into_iter().map(u64::from).sum::<u64>());
        Ok(low + (high << 16))
    }))
}

fn of_singles(piece: &Array<f32>, at: CallSite) -> Result<Work<f64>> {
    let sums = sums_of_rows(piece, SINGLES, at)?;
    Ok(Box::new(move || Ok(sums()?.into_iter().map(f64::from).sum())))
}

/// The sums of so many elements each, the last of what is left.
fn sums_of_rows<T: Number>(piece: &Array<T>, row: usize, at: CallSite) -> Result<Work<Vec<T>>> {
    let flat = piece.flatten();
    let rows = flat.len() / row;
    let end = (rows * row) as isize;
    let whole = flat.slice(crate::s![..end]).reshape(&[rows, row]).sum_axes(1);
    let rest = flat.slice(crate::s![end..]).sum();
    ahead(&[&whole, &rest], at)?;
    Ok(Box::new(move || Ok(Array::read_all(&[&whole, &rest])?.concat())))
}
