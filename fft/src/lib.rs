//! Plans of the crates rustfft and realfft for `f32` and `f64`.
//!
//! Their code is generic, so it is compiled in the crate that names the type of a number: a quarter of what crosslane's compiler
//! would generate, in the library and again in its tests. Here it is compiled once. crosslane calls it through trait objects.

pub use realfft::{ComplexToReal, RealToComplex};
pub use rustfft::num_traits::Zero;
pub use rustfft::{Fft, FftNum};

use realfft::RealFftPlanner;
use rustfft::num_traits::Float;
use rustfft::{FftDirection, FftPlanner};
use std::sync::Arc;

/// `f32` and `f64`: the parts of complex numbers.
pub trait Part: FftNum + Float {
    /// A plan for complex numbers.
    fn complex(length: usize, inverse: bool) -> Arc<dyn Fft<Self>>;
    /// A plan from real numbers to the first half of their transform.
    fn real(length: usize) -> Arc<dyn RealToComplex<Self>>;
    /// A plan from the first half of a transform to real numbers.
    fn half(length: usize) -> Arc<dyn ComplexToReal<Self>>;
}

macro_rules! part {
    ($type:ident) => {
        // Inlined, the planners would be compiled in the caller's crate.
        impl Part for $type {
            #[inline(never)]
            fn complex(length: usize, inverse: bool) -> Arc<dyn Fft<Self>> {
                let direction = if inverse { FftDirection::Inverse } else { FftDirection::Forward };
                FftPlanner::new().plan_fft(length, direction)
            }
            #[inline(never)]
            fn real(length: usize) -> Arc<dyn RealToComplex<Self>> {
                RealFftPlanner::new().plan_fft_forward(length)
            }
            #[inline(never)]
            fn half(length: usize) -> Arc<dyn ComplexToReal<Self>> {
                RealFftPlanner::new().plan_fft_inverse(length)
            }
        }
    };
}

part!(f32);
part!(f64);
