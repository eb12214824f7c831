//! A device's peak speeds of memory and arithmetic, which kernels are compared with.

/// The peak speeds of a device's memory and arithmetic, as measured by `Device::roofline`. A
/// kernel that moves `b` bytes and computes `f` operations takes at least the longer of `b / bytes_per_second` and
/// `f / flops_per_second`.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Roofline {
    /// Bytes of device memory read and written in a second by `a + b * s` over long arrays of f32.
    pub bytes_per_second: f64,
    /// f32 operations in a second by fused multiply-adds on registers, each counting two. Without tensor cores.
    pub flops_per_second: f64,
}

impl Roofline {
    /// By bytes and operations a second.
    #[doc(hidden)]
    pub fn new(bytes_per_second: f64, flops_per_second: f64) -> Roofline {
        Roofline { bytes_per_second, flops_per_second }
    }
}

/// What a launch and transfers cost on a device, measured once.
#[derive(Clone, Copy)]
pub struct Costs {
    /// Seconds of a transfer there, a launch, and a transfer back, of next to nothing.
    pub latency: f64,
    /// Bytes a second that travel, in both directions.
    pub transfer: f64,
}
