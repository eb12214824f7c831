//! Overrides without a value: a kernel may be made before a launch sets them.
//!
//! Until then its module has a placeholder for each, so that its bindings are known. No engine gets such a module:
//! [`Kernel::complete`] refuses it.

use super::Kernel;
use super::parse::Parsed;
use crate::error::{CallSite, Error, Result};
use naga::back::pipeline_constants::{PipelineConstantError, process_overrides};
use naga::valid::ModuleInfo;
use naga::{Module, ShaderStage};

/// Values to stand for those that are missing, in turn: a divisor must not be 0, `n - 2u` not negative, `32u / n` not 0, an array
/// not too large.
const PLACEHOLDERS: [f64; 8] = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 256.0];

impl Kernel {
    /// The overrides that the entry point uses and that have neither a default nor a value, by name. Each launch must set
    /// them ([`crate::Launcher::set`]); until then, what the reflection says of sizes is for a placeholder.
    ///
    /// ```
    /// use crosslane::Kernel;
    /// let source = "override n: u32; @compute @workgroup_size(n) fn main() {}";
    /// assert_eq!(Kernel::wgsl(source)?.open_overrides(), ["n"]);
    /// assert!(Kernel::wgsl_with(source, None, &[("n", 64.0)])?.open_overrides().is_empty());
    /// # Ok::<(), crosslane::Error>(())
    /// ```
    pub fn open_overrides(&self) -> &[String] {
        &self.0.open
    }

    /// The kernel, if each override has a value.
    pub(super) fn complete(self, operation: &'static str, at: CallSite) -> Result<Kernel> {
        match self.0.open.first() {
            None => Ok(self),
            Some(name) => {
                let wanted = format!(
                    "a value: it has no default. Take .set(\"{name}\", value) at the launch, or Kernel::wgsl_with"
                );
                Err(Error::argument(operation, format!("override {name}"), wanted, "none", at))
            }
        }
    }
}

/// The module with the overrides' values in it, and the names of those for which a placeholder stands.
pub(super) fn resolved(
    module: &Module,
    info: &ModuleInfo,
    entry: &str,
    values: &[(String, f64)],
) -> Result<(Parsed, Vec<String>), PipelineConstantError> {
    let mut tries = PLACEHOLDERS.iter().map(|&placeholder| with(module, info, entry, values, placeholder));
    let first = tries.next().expect("there is a placeholder");
    match first {
        // Another placeholder helps only where there is one.
        (Err(error), open) if !open.is_empty() => match tries.find(|(made, _)| made.is_ok()) {
            Some((made, open)) => Ok((made?, named(module, open))),
            None => Err(error),
        },
        (made, open) => Ok((made?, named(module, open))),
    }
}

/// The module with a placeholder for each value that is missing, and the keys of those.
fn with(
    module: &Module,
    info: &ModuleInfo,
    entry: &str,
    values: &[(String, f64)],
    placeholder: f64,
) -> (Result<Parsed, PipelineConstantError>, Vec<String>) {
    let (mut constants, mut open) = (values.iter().cloned().collect(), vec![]);
    loop {
        match process_overrides(module, info, Some((ShaderStage::Compute, entry)), &constants) {
            Ok((module, info)) => {
                return (Ok(Parsed { module: module.into_owned(), info: info.into_owned() }), open);
            }
            Err(PipelineConstantError::MissingValue(key)) if !open.contains(&key) => {
                constants.insert(key.clone(), placeholder);
                open.push(key);
            }
            Err(error) => return (Err(error), open),
        }
    }
}

/// The names of overrides whose keys are their `@id`, if they have one.
fn named(module: &Module, keys: Vec<String>) -> Vec<String> {
    let name = |key: String| {
        let id = key.parse().ok();
        let found = module.overrides.iter().find(|(_, of)| of.id.is_some() && of.id == id);
        found.and_then(|(_, of)| of.name.clone()).unwrap_or(key)
    };
    keys.into_iter().map(name).collect()
}
