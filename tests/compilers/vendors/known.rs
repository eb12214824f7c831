//! What is known of other vendors' compilers, and why it may be: anything else that a device's compiler refuses, crashes on, spills or
//! takes long for is a defect.

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
    pub fn of(one: &Compiled) -> Option<Finding> {
        match &one.outcome {
            Outcome::Refused(why) => Some(Finding::Refused(why.clone())),
            Outcome::Crashed(why) => Some(Finding::Crashed(why.clone())),
            Outcome::Made(figures) if figures.spilled > Some(0) => figures.spilled.map(Finding::Spills),
            Outcome::Made(_) if one.seconds > SLOW => Some(Finding::Slow(one.seconds)),
            Outcome::Made(_) => None,
        }
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

/// Kernels of which something is known.
#[derive(Debug)]
pub struct Known {
    /// A part of the device's name.
    pub device: &'static str,
    pub operation: &'static str,
    /// Parts of the case and the kernel's name.
    pub what: &'static [&'static str],
    /// The most registers that it may spill.
    pub spilled: u64,
    pub refused: bool,
    pub crashed: bool,
    pub slow: bool,
    pub why: &'static str,
}

const NONE: Known =
    Known { device: "", operation: "", what: &[], spilled: 0, refused: false, crashed: false, slow: false, why: "" };

pub const KNOWN: [Known; 1] = [Known {
    operation: "map",
    what: &["map of 45 steps"],
    spilled: 500,
    slow: true,
    why: "all functions of a type in one expression: no program's",
    ..NONE
}];

impl Known {
    pub fn explains(&self, device: &Device, one: &Compiled, finding: &Finding) -> bool {
        let named = device.name.contains(self.device) && one.operation == self.operation;
        named
            && self.what.iter().all(|part| one.what.contains(part))
            && match finding {
                Finding::Spills(count) => *count <= self.spilled,
                Finding::Slow(_) => self.slow,
                Finding::Refused(_) => self.refused,
                Finding::Crashed(_) => self.crashed,
            }
    }
}
