//! What devices the processor can be asked for by name: `cpu`, `cpu:checked`, `cpu:apple-like`, `cpu:checked:apple-like`;
//! `cpu:compiled`, `cpu:one-pass` and `cpu:interpreted` are one tier alone.

use super::Tier;
use super::profile::{Profile, WorkgroupOrder};
use crosslane_core::engine::{Driver, Engine, Options};
use crosslane_core::error::{ErrorKind, Result};
use crosslane_core::report::Checks;
use std::sync::Arc;

/// The engine.
pub const ENGINE: Engine = Engine {
    name: "cpu",
    reaches: "the processor",
    list: || vec![super::properties(&Profile::default(), None, Tier::default())],
    open: |_, options| super::open(Profile::default(), None, Tier::default(), options),
    request: |rest, options| Some(request(rest, options)),
};

fn request(words: &str, options: &Options) -> Result<Arc<dyn Driver>> {
    if words.is_empty() {
        return super::open(Profile::default(), None, Tier::default(), options);
    }
    let (mut profile, mut checks, mut tier) = (None, None, Tier::default());
    for word in words.split(':') {
        match Profile::presets().into_iter().find(|preset| preset.name == word) {
            None if word == "checked" => checks = Some(Checks::default()),
            None if word == "interpreted" || word == "one-pass" => {
                let compiles = word == "one-pass" && super::compiles();
                (profile, tier) = (Some(Profile::compiled()), if compiles { Tier::OnePass } else { Tier::Interpreted });
            }
            Some(preset) => {
                tier = if word == "compiled" && super::compiles() { Tier::Compiled } else { tier };
                profile = Some(preset);
            }
            None => {
                let names: Vec<&str> = Profile::presets().iter().map(|preset| preset.name).collect();
                let looked = format!(
                    "looked for `checked`, `interpreted`, `one-pass` and the profiles {} after `cpu:`",
                    names.join(", ")
                );
                let (wanted, install) = (format!("cpu:{words}"), format!("There is no {word:?}"));
                return Err(ErrorKind::NoDevice { wanted, looked, install }.into());
            }
        }
    }
    // As itself the processor may as well run the last workgroup first: what relies on their order shows.
    let own = match checks {
        Some(_) => Profile { order: WorkgroupOrder::Descending, ..Profile::native() },
        None => Profile::default(),
    };
    super::open(profile.unwrap_or(own), checks, tier, options)
}
