//! Overrides without a value: a kernel may be made before a launch sets them.
//!
//! Until then its module has a placeholder for each, so that its bindings are known. No engine gets such a module:
//! [`super::Kernel::parsed`] refuses it.

use naga::back::pipeline_constants::{PipelineConstantError, process_overrides};
use naga::valid::ModuleInfo;
use naga::{Module, ShaderStage};

/// Values to stand for those that are missing, in turn: a divisor must not be 0, `n - 2u` not negative, `32u / n` not 0, an array
/// not too large.
const PLACEHOLDERS: [f64; 8] = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 256.0];

/// A module without overrides.
type Resolved = (Module, ModuleInfo);

/// The module with the overrides' values in it, and the names of those for which a placeholder stands.
pub(super) fn resolved(
    module: &Module,
    info: &ModuleInfo,
    entry: &str,
    values: &[(String, f64)],
) -> Result<(Resolved, Vec<String>), Box<PipelineConstantError>> {
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
) -> (Result<Resolved, Box<PipelineConstantError>>, Vec<String>) {
    let (mut constants, mut open) = (values.iter().cloned().collect(), vec![]);
    loop {
        match process_overrides(module, info, Some((ShaderStage::Compute, entry)), &constants) {
            Ok((module, info)) => {
                return (Ok((module.into_owned(), info.into_owned())), open);
            }
            Err(PipelineConstantError::MissingValue(key)) if !open.contains(&key) => {
                constants.insert(key.clone(), placeholder);
                open.push(key);
            }
            Err(error) => return (Err(Box::new(error)), open),
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
