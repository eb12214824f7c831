//! Formulas: a program's own functions as checked WGSL text, with the properties that a kernel depends on.

mod check;
mod scan;
mod text;
mod wrapper;

pub(crate) use scan::{Kind, Parameter};
pub(crate) use text::{Text, parameters, refers};

use crate::element::DType;
use crate::kernel::Feature;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// A function of numbers, made from a WGSL text by [`crate::Elementwise`], [`crate::Reduction`] or
/// [`crate::Array::reduce`]. Cheap to clone.
#[derive(Clone)]
pub struct Formula(Arc<Parts>);

/// The parts of a formula.
pub(crate) struct Parts {
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
    pub(crate) fn new(parts: Parts) -> Formula {
        Formula(Arc::new(parts))
    }

    pub(crate) fn parts(&self) -> &Parts {
        &self.0
    }

    /// The text as the program gave it.
    pub fn text(&self) -> &str {
        &self.0.text
    }

    /// The type of the formula's value.
    pub fn result(&self) -> DType {
        self.0.result
    }

    /// The names and types of the parameters.
    pub fn parameters(&self) -> &[(String, DType)] {
        &self.0.parameters
    }

    /// The formula as a WGSL function of this name.
    pub(crate) fn definition(&self, name: &str) -> String {
        let parameters: Vec<String> =
            self.0.parameters.iter().map(|(name, dtype)| format!("{name}: {}", dtype.wgsl())).collect();
        format!("fn {name}({}) -> {} {{\n{}\n}}\n", parameters.join(", "), self.0.result.wgsl(), self.0.body)
    }

    /// A call for one value, or for four lane by lane. A formula is known for scalars only, and GPUs compute lane by
    /// lane anyway.
    pub(crate) fn call(&self, name: &str, arguments: &[String], width: u32) -> String {
        let one = |lane: &str| {
            let lanes: Vec<String> = arguments.iter().map(|argument| format!("{argument}{lane}")).collect();
            format!("{name}({})", lanes.join(", "))
        };
        match width {
            1 => one(""),
            _ => format!("vec4<{}>({})", self.0.result.wgsl(), [".x", ".y", ".z", ".w"].map(one).join(", ")),
        }
    }
}

impl PartialEq for Formula {
    fn eq(&self, other: &Formula) -> bool {
        self.0.id == other.0.id
    }
}

impl Eq for Formula {}

impl Hash for Formula {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.id.hash(state);
    }
}

impl std::fmt::Debug for Formula {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Formula({} {:?})", self.0.id, self.0.text)
    }
}
