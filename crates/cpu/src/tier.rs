//! How kernels run: interpreted, compiled, or one after the other.

use super::compiles;

/// How kernels run. Results are the same, bit for bit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Tier {
    /// Interpreted until compiling pays.
    Both,
    /// As machine code from the first launch on.
    Compiled,
    /// The same, its registers allocated in one pass.
    OnePass,
    /// Never as machine code.
    Interpreted,
}

impl Default for Tier {
    fn default() -> Tier {
        if compiles() { Tier::Both } else { Tier::Interpreted }
    }
}

impl Tier {
    /// The device's name.
    pub fn name(self) -> &'static str {
        match self {
            Tier::Both => "cpu",
            Tier::Compiled => "cpu compiled",
            Tier::OnePass => "cpu compiled in one pass",
            Tier::Interpreted => "cpu interpreter",
        }
    }

    /// How kernels run.
    pub fn how(self) -> &'static str {
        match self {
            Tier::Both | Tier::Compiled | Tier::OnePass => "compiles kernels",
            Tier::Interpreted => "interprets kernels",
        }
    }
}
