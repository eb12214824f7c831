//! Formulas: functions that are no row of the table of functions, with the properties that a kernel depends on. A program's
//! own are checked WGSL text; the library's are linked by name.

mod check;
mod scan;
mod shared;
mod text;
mod wrapper;

pub use scan::{Kind, Parameter};
pub use shared::Shared;
pub use text::{Text, parameters, refers};

use crate::element::DType;
use crate::kernel::Feature;
use crate::op::host::Value;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// A function of numbers: made from a WGSL text by `crosslane::Elementwise`, `crosslane::Reduction` or
/// `crosslane::Array::reduce`, or one of the library's, such as a draw of random numbers. Cheap to clone.
#[derive(Clone)]
pub struct Formula(Source);

#[derive(Clone)]
enum Source {
    /// A program's text.
    Own(Arc<Parts>),
    /// A function of the library.
    Shared(&'static Shared),
}

/// The parts of a program's formula.
pub struct Parts {
    /// A number that no other text of this process has.
    pub id: u64,
    /// The text as it was given.
    pub text: String,
    /// Names and types.
    pub parameters: Vec<(String, DType)>,
    /// The WGSL body between the braces, with types filled in.
    pub body: String,
    pub result: DType,
    /// Operators and functions in it.
    pub operations: u64,
    /// Whether computing the value again for repeated elements would be expensive.
    pub costly: bool,
    /// Whether the text needs no run-time checks: it has no integer division, shift, index or loop.
    pub safe: bool,
    /// Features that a device must have.
    pub features: Vec<Feature>,
}

impl Formula {
    #[doc(hidden)]
    pub fn new(parts: Parts) -> Formula {
        Formula(Source::Own(Arc::new(parts)))
    }

    /// A function of the library.
    #[doc(hidden)]
    pub fn shared(function: &'static Shared) -> Formula {
        Formula(Source::Shared(function))
    }

    /// The text as the program gave it; of a function of the library, its name.
    pub fn text(&self) -> &str {
        match &self.0 {
            Source::Own(parts) => &parts.text,
            Source::Shared(shared) => shared.name,
        }
    }

    /// The type of the formula's value.
    pub fn result(&self) -> DType {
        match &self.0 {
            Source::Own(parts) => parts.result,
            Source::Shared(shared) => shared.result,
        }
    }

    /// The names and types of the parameters.
    pub fn parameters(&self) -> Vec<(&str, DType)> {
        match &self.0 {
            Source::Own(parts) => parts.parameters.iter().map(|(name, dtype)| (name.as_str(), *dtype)).collect(),
            Source::Shared(shared) => shared.parameters.to_vec(),
        }
    }

    /// Operators and functions in it.
    #[doc(hidden)]
    pub fn operations(&self) -> u64 {
        match &self.0 {
            Source::Own(parts) => parts.operations,
            Source::Shared(shared) => shared.operations,
        }
    }

    /// Whether computing the value again for repeated elements would be expensive.
    #[doc(hidden)]
    pub fn costly(&self) -> bool {
        match &self.0 {
            Source::Own(parts) => parts.costly,
            Source::Shared(_) => true,
        }
    }

    /// Whether four copies of it would be a long kernel: drivers take minutes to compile some, and what it reads and writes
    /// waits for arithmetic anyway.
    #[doc(hidden)]
    pub fn is_long(&self) -> bool {
        /// Not tuned: draws by attempts are above it, the others below.
        const SHORT: u64 = 150;
        match &self.0 {
            Source::Own(_) => false,
            Source::Shared(shared) => shared.four.is_none() && shared.operations > SHORT,
        }
    }

    /// Whether four neighbours are computed together, at less than the cost of four.
    #[doc(hidden)]
    pub fn is_cheaper_together(&self) -> bool {
        matches!(&self.0, Source::Shared(shared) if shared.four.is_some())
    }

    /// Whether the text needs no run-time checks. The library's functions ran with all checks on.
    #[doc(hidden)]
    pub fn safe(&self) -> bool {
        match &self.0 {
            Source::Own(parts) => parts.safe,
            Source::Shared(_) => true,
        }
    }

    /// Features that a device must have.
    #[doc(hidden)]
    pub fn features(&self) -> &[Feature] {
        match &self.0 {
            Source::Own(parts) => &parts.features,
            Source::Shared(shared) => shared.features,
        }
    }

    /// The value by definition. None for a program's text: only engines know what it means.
    #[doc(hidden)]
    pub fn meaning(&self, arguments: &[Value]) -> Option<Value> {
        match &self.0 {
            Source::Own(_) => None,
            Source::Shared(shared) => Some((shared.meaning)(arguments)),
        }
    }

    /// The formula as a WGSL function of this name; nothing where the library has it.
    #[doc(hidden)]
    pub fn definition(&self, name: &str) -> String {
        let Source::Own(parts) = &self.0 else { return String::new() };
        let parameters: Vec<String> =
            parts.parameters.iter().map(|(name, dtype)| format!("{name}: {}", dtype.wgsl())).collect();
        format!("fn {name}({}) -> {} {{\n{}\n}}\n", parameters.join(", "), parts.result.wgsl(), parts.body)
    }

    /// A call for one value, or for four: lane by lane, as GPUs compute anyway, where there is no function of four. A
    /// program's formula is the function `name`.
    #[doc(hidden)]
    pub fn call(&self, name: &str, arguments: &[String], width: u32) -> String {
        let (name, four) = match &self.0 {
            Source::Own(_) => (name, None),
            Source::Shared(shared) => (shared.name, shared.four),
        };
        let one = |lane: &str| {
            let lanes: Vec<String> = arguments.iter().map(|argument| format!("{argument}{lane}")).collect();
            format!("{name}({})", lanes.join(", "))
        };
        match (width, four) {
            (1, _) => one(""),
            (_, Some(four)) => format!("{four}({})", arguments.join(", ")),
            _ => format!("vec4<{}>({})", self.result().wgsl(), [".x", ".y", ".z", ".w"].map(one).join(", ")),
        }
    }

    /// What tells formulas apart.
    fn identity(&self) -> (u64, &'static str) {
        match &self.0 {
            Source::Own(parts) => (parts.id, ""),
            Source::Shared(shared) => (0, shared.name),
        }
    }
}

impl PartialEq for Formula {
    fn eq(&self, other: &Formula) -> bool {
        self.identity() == other.identity()
    }
}

impl Eq for Formula {}

impl Hash for Formula {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.identity().hash(state);
    }
}

impl std::fmt::Debug for Formula {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Formula({} {:?})", self.identity().0, self.text())
    }
}
