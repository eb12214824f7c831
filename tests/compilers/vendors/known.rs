//! What is known of other vendors' compilers, and why it may be: whatever else a device's compiler refuses, crashes on, spills or takes
//! long for is a defect.

use super::devices::Device;
use super::process::Compiled;
use super::told::Outcome;
use std::fmt::{self, Display, Formatter};

/// Seconds of the processor from which on a compiler is slow.
const SLOW: f64 = 10.0;

/// What a compiler does that is worth a look.
#[derive(Clone, Debug)]
pub enum Finding {
    Spills(u64),
    Slow(f64),
    Refused(String),
    Crashed(String),
}

impl Finding {
    pub fn of(one: &Compiled) -> Vec<Finding> {
        let spilled = match &one.outcome {
            Outcome::Refused(why) => return vec![Finding::Refused(why.clone())],
            Outcome::Crashed(why) => return vec![Finding::Crashed(why.clone())],
            Outcome::Made(figures) => figures.spilled.filter(|&count| count > 0),
        };
        let slow = (one.seconds > SLOW).then_some(Finding::Slow(one.seconds));
        spilled.map(Finding::Spills).into_iter().chain(slow).collect()
    }
}

impl Display for Finding {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Finding::Spills(count) => write!(f, "{count} spilled"),
            Finding::Slow(seconds) => write!(f, "{seconds:.0} s of the processor"),
            Finding::Refused(why) => write!(f, "refused ({why})"),
            Finding::Crashed(why) => write!(f, "crashed ({why})"),
        }
    }
}

/// What a compiler may do. A refusal or a crash has no entry: none is known.
#[derive(Clone, Copy, Debug)]
pub enum May {
    /// At most so many registers.
    Spill(u64),
    /// At most so many seconds of the processor.
    Take(f64),
}

/// Kernels of which something is known.
#[derive(Debug)]
pub struct Known {
    /// A part of the device's name.
    pub device: &'static str,
    /// Any, if empty.
    pub operation: &'static str,
    /// A part of the case and the kernel's name.
    pub what: &'static str,
    pub may: May,
    pub why: &'static str,
}

const fn known(
    device: &'static str,
    operation: &'static str,
    what: &'static str,
    may: May,
    why: &'static str,
) -> Known {
    Known { device, operation, what, may, why }
}

/// Reasons of several.
const EXPRESSION: &str = "40 and more functions of a type in one expression: no program's";
const TILE: &str = "a tile's step is loaded ahead, and its prologue computed for all of it at once";
const WIDE: &str = "sums of 64 bits take two registers each, products several instructions";
const SCATTER: &str = "a tile's keys and positions stay in registers";
const SLIDING: &str = "weights and rows of a window stay in registers";
const HELD: &str = "a row is held in registers; Intel's are half as many where a workgroup is large";

#[rustfmt::skip]
pub const KNOWN: [Known; 22] = [
    known("", "map", "map of 4", May::Spill(2200), EXPRESSION),
    known("Apple", "matmul", "64", May::Spill(40), WIDE),
    known("Intel", "matmul", "matmul of", May::Spill(110), TILE),
    known("Intel", "matmul", "64", May::Spill(600), WIDE),
    known("Intel", "matmul", "64", May::Take(60.0), WIDE),
    known("Adreno", "matmul", "matmul of", May::Spill(25), TILE),
    known("Adreno", "matmul", "64", May::Spill(1700), WIDE),
    known("NVK", "matmul", "matmul of", May::Spill(40), TILE),
    known("NVK", "matmul", "64", May::Spill(600), WIDE),
    known("Adreno", "sort", "scatter by one digit", May::Spill(55), SCATTER),
    known("", "top_k", "top_k", May::Spill(120), SCATTER),
    known("Adreno", "correlate", "", May::Spill(320), SLIDING),
    known("", "normalise", "", May::Spill(120), HELD),
    known("", "scan", "sum by key", May::Spill(240), "numbers of 64 bits of a tile stay in registers"),
    known("", "", "f64", May::Spill(500), "numbers of 64 bits take two registers, and functions of them are long"),
    known("Intel", "", "omplex64", May::Spill(200), "as f64"),
    known("Adreno", "recurrence", "recurrence of f32", May::Spill(360), "a block's states stay in registers"),
    known("Intel", "recurrence", "recurrence of f32", May::Spill(6), "a block's states stay in registers"),
    known("Intel", "stencil", "of f16", May::Spill(95), "several steps of a tile stay in registers"),
    known("Intel", "resample", "Sliding", May::Spill(11), SLIDING),
    known("V3D", "", "", May::Spill(6000), "it has few registers: whatever holds more spills"),
    known("Mali", "correlate", "", May::Take(60.0), "an unrolled window compiles slowly: not looked into"),
];

impl Known {
    pub fn explains(&self, device: &Device, one: &Compiled, finding: &Finding) -> bool {
        let may = match (self.may, finding) {
            (May::Spill(most), Finding::Spills(count)) => *count <= most,
            (May::Take(most), Finding::Slow(seconds)) => *seconds <= most,
            _ => false,
        };
        let named = device.name.contains(self.device) && (self.operation.is_empty() || one.operation == self.operation);
        may && named && one.what.contains(self.what)
    }
}
