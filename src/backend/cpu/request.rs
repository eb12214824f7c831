//! What devices the processor can be asked for by name: `cpu`, `cpu:checked`, `cpu:apple-like`, `cpu:checked:apple-like`.

use super::Tier;
use super::profile::{Profile, WorkgroupOrder};
use crate::backend::{Driver, Engine, Options};
use crate::error::{ErrorKind, Result};
use crate::report::Checks;
use std::sync::Arc;

/// The engine.
pub(in crate::backend) const ENGINE: Engine = Engine {
    name: "cpu",
    reaches: "the processor",
    list: || vec![super::properties(&Profile::native(), None)],
    open: |_, options| super::open(Profile::native(), None, Tier::Both, options.budget()),
    request: |rest, options| Some(request(rest, options)),
};

fn request(words: &str, options: &Options) -> Result<Arc<dyn Driver>> {
    if words.is_empty() {
        return super::open(Profile::native(), None, Tier::Both, options.budget());
    }
    let (mut profile, mut checks, mut tier) = (None, None, Tier::Both);
    for word in words.split(':') {
        match Profile::presets().into_iter().find(|preset| preset.name == word) {
            Some(preset) => profile = Some(preset),
            None if word == "checked" => checks = Some(Checks::default()),
            None if word == "compiled" => tier = Tier::Compiled,
            None if word == "interpreted" => tier = Tier::Interpreted,
            None => {
                let names: Vec<&str> = Profile::presets().iter().map(|preset| preset.name).collect();
                let looked = format!("looked for `checked`, `compiled`, `interpreted` and the profiles {} after `cpu:`", names.join(", "));
                let (wanted, install) = (format!("cpu:{words}"), format!("There is no {word:?}"));
                return Err(ErrorKind::NoDevice { wanted, looked, install }.into());
            }
        }
    }
    // As itself the processor may as well run the last workgroup first: what relies on their order shows.
    let order = if checks.is_some() { WorkgroupOrder::Descending } else { WorkgroupOrder::Ascending };
    super::open(profile.unwrap_or(Profile { order, ..Profile::native() }), checks, tier, options.budget())
}
