//! Functions from a program's expressions: parsed and checked by naga inside a small wrapper.

use super::Formula;
use super::check::checked;
use super::scan::{Mistake, Parameter, dtype, last, names};
use super::wrapper::{Source, Wrapper, pointed};
use crate::element::{DType, Scalar};
use crate::error::{CallSite, Error, ErrorKind, Result};
use crate::kernel::text::without_comments;
use crate::recent::Recent;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};

/// What the wrapper calls an expression without a name.
const UNNAMED: &str = "_result";

/// A text and what it may refer to.
pub struct Text<'a> {
    /// The program's function in errors.
    pub operation: &'static str,
    /// The name of the text in errors: the expression, for instance.
    pub what: &'static str,
    /// The WGSL text.
    pub text: &'a str,
    /// Names and types. Other names in the text are not parameters.
    pub parameters: Vec<(String, DType)>,
    /// The types that capital letters stand for.
    pub letters: &'a [(String, DType)],
    /// The type that the value must have.
    pub result: Option<DType>,
    /// The line of the program that gave the text.
    pub at: CallSite,
}

/// The number of formulas that are kept.
const KEPT: usize = 4096;

/// Formulas by parameters, letters, result and text.
static FORMULAS: LazyLock<Recent<String, Formula>> = LazyLock::new(|| Recent::new(KEPT));

/// Reads the parameters `x: f32, y: T, z`.
pub fn parameters(operation: &'static str, text: &str, at: CallSite) -> Result<Vec<Parameter>> {
    let source = Source { name: "parameters", text };
    super::scan::parameters(text).map_err(|mistake| wrong(operation, "parameters", source, mistake, at))
}

/// Whether a text refers to a name.
pub fn refers(text: &str, name: &str) -> bool {
    names(&without_comments(text)).any(|(_, found)| found == name)
}

impl Text<'_> {
    /// The checked function that the text describes: optional statements, then a value. While a formula is cached, the
    /// same text gives the same formula. A text that is parsed again later gets another number, so that kernels are not
    /// confused.
    ///
    /// Errors: a text that does not compile, with line and column; a value that is no number.
    pub fn formula(&self) -> Result<Formula> {
        let key = format!("{:?}{:?}{:?}{}", self.parameters, self.letters, self.result, self.text);
        match FORMULAS.get(&key) {
            Some(formula) => Ok(formula),
            None => Ok(FORMULAS.keep(key, self.read()?)),
        }
    }

    fn source(&self) -> Source<'_> {
        Source { name: self.what, text: self.text }
    }

    fn read(&self) -> Result<Formula> {
        static IDS: AtomicU64 = AtomicU64::new(0);
        let clean = without_comments(self.text);
        if let Some((range, _)) = names(&clean).find(|(_, name)| *name == "return") {
            return Err(self.wrong(("the last statement gives the value, without return".into(), range)));
        }
        let last = last(&clean).map_err(|mistake| self.wrong(mistake))?;
        let written = match &last.ty {
            Some(range) => Some(self.scalar(&clean[range.clone()]).ok_or_else(|| {
                self.wrong(("neither a number type nor a letter that stands for one".into(), range.clone()))
            })?),
            None => None,
        };
        if let (Some(wanted), Some(got), Some(at)) = (self.result, written, &last.ty)
            && wanted != got
        {
            return Err(self.wrong((format!("expected {wanted}"), at.clone())));
        }
        let result = written.or(self.result);
        let name = last.name.as_ref().map_or(UNNAMED, |range| &clean[range.clone()]);
        let (mut wrapper, source) = (Wrapper::new(self.letters), self.source());
        let parameters: Vec<String> =
            self.parameters.iter().map(|(name, dtype)| format!("{name}: {}", dtype.wgsl())).collect();
        // One extension for all texts: whether a text needs f16 is found out later.
        wrapper.push(&format!("enable f16; fn formula({}) {{\n", parameters.join(", ")));
        let body = wrapper.text.len();
        wrapper.copy(source, 0..last.start);
        wrapper.push("let ");
        match &last.name {
            Some(range) => wrapper.put(source, range.clone(), name),
            None => wrapper.push(name),
        }
        if let Some(dtype) = result {
            wrapper.push(": ");
            wrapper.put(source, last.ty.unwrap_or(last.expression.clone()), dtype.wgsl());
        }
        wrapper.push(" = ");
        wrapper.copy(source, last.expression.clone());
        wrapper.push("\n;");
        let end = wrapper.text.len();
        wrapper.push("\n}\n");
        let known = checked(&wrapper, name).map_err(|message| self.fails(message))?;
        let result = match (result, known.result) {
            (Some(dtype), _) | (None, Ok(dtype)) => dtype,
            (None, Err(ty)) => {
                return Err(self.wrong((format!("expected a number, found {ty}"), last.expression)));
            }
        };
        // A type that is stored in less than a word is a whole word inside a kernel.
        let kept = match (result.is_stored(), result.size()) {
            (true, 1) => " & 0xffu",
            (true, _) => " & 0xffffu",
            _ => "",
        };
        Ok(Formula::new(super::Parts {
            id: IDS.fetch_add(1, Ordering::Relaxed),
            text: self.text.trim().into(),
            parameters: self.parameters.clone(),
            body: format!("{}\nreturn {name}{kept};", &wrapper.text[body..end]),
            result,
            operations: known.operations,
            costly: known.costly,
            safe: known.safe,
            features: known.features,
        }))
    }

    /// The constant that the text describes, in this type: a WGSL expression, or `inf` or `-inf`.
    pub fn constant(&self, dtype: DType) -> Result<Scalar> {
        let text = self.text.trim();
        match (dtype, text) {
            (DType::F16 | DType::F32 | DType::F64, "inf") => return Ok(Scalar::from_f64(dtype, f64::INFINITY)),
            (DType::F16 | DType::F32 | DType::F64, "-inf") => return Ok(Scalar::from_f64(dtype, f64::NEG_INFINITY)),
            _ => {}
        }
        let mut wrapper = Wrapper::new(self.letters);
        wrapper.push(&format!("enable f16; const constant: {} = (\n", dtype.wgsl()));
        wrapper.copy(self.source(), 0..self.text.len());
        wrapper.push("\n);\n");
        super::check::constant(&wrapper, dtype).map_err(|message| self.fails(message))
    }

    /// A number's type, by its name or letter.
    fn scalar(&self, name: &str) -> Option<DType> {
        let letter = self.letters.iter().find(|(letter, _)| letter == name);
        letter.map(|(_, dtype)| *dtype).or(dtype(name))
    }

    fn wrong(&self, mistake: Mistake) -> Error {
        wrong(self.operation, self.what, self.source(), mistake, self.at)
    }

    fn fails(&self, message: String) -> Error {
        fails(self.operation, self.what, message, self.at)
    }
}

fn wrong(operation: &'static str, what: &'static str, source: Source, mistake: Mistake, at: CallSite) -> Error {
    let (message, range) = mistake;
    fails(operation, what, pointed(&message, source, range, ""), at)
}

fn fails(operation: &'static str, what: &'static str, message: String, at: CallSite) -> Error {
    let message = format!("\n{}\n", message.trim_end());
    ErrorKind::Compile {
        kernel: format!("{operation}: the {what}"),
        device: "any device".into(),
        message,
        at: Some(at),
    }
    .into()
}
