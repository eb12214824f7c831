//! Whether a card can run a kernel: what the kernel needs, and what there is.

use super::card::Card;
use super::nvrtc;
use super::text::CudaSource;
use crosslane_core::caps::Caps;
use crosslane_core::error::{Error, ErrorKind, Result};
use crosslane_core::kernel::Kernel;

/// Refuses what the card cannot run before NVRTC says so in its own words.
pub(super) fn check(card: &Card, caps: &Caps, kernel: &Kernel, source: &CudaSource) -> Result<()> {
    let threads: u64 = source.workgroup_size.iter().map(|&count| count as u64).product();
    let parameters = kernel.bindings().len() as u64 * 16 + kernel.param_words() as u64 * 4;
    let limits = [
        (threads, caps.workgroup_invocations as u64, "invocations of a workgroup"),
        (source.shared_bytes as u64, caps.workgroup_bytes as u64, "bytes of workgroup memory"),
        (parameters, parameter_bytes(card)?, "bytes of parameters and bindings"),
    ];
    match limits.iter().find(|(wanted, most, _)| wanted > most) {
        None => Ok(()),
        Some(&(wanted, most, what)) => Err(exceeded(card, kernel, wanted, most, what)),
    }
}

/// The error with both figures.
pub(super) fn exceeded(card: &Card, kernel: &Kernel, wanted: u64, most: u64, what: &str) -> Error {
    ErrorKind::Unsupported {
        operation: "launch",
        wanted: format!("the {wanted} {what} that the kernel {} needs: {most} are the most", kernel.name()),
        device: card.name.clone(),
        help: "make them fewer".into(),
        at: None,
    }
    .into()
}

/// Bytes of parameters that a kernel can have: 4 KiB, and eight times that since CUDA 12.1 on Volta and later.
fn parameter_bytes(card: &Card) -> Result<u64> {
    let newer = nvrtc::version()? >= (12, 1) && card.driver >= (12, 1);
    Ok(if newer && card.architecture >= 70 { 32764 } else { 4096 })
}
