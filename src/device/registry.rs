//! The list of engines ([`ENGINES`]), in the order of their devices.

use crosslane_core::engine::{Driver, Engine, Exclusive, Opened, Options};
use crosslane_core::error::{ErrorKind, Result};
use crosslane_core::properties::Properties;
use std::sync::Arc;

/// Engines by their cargo features, with their crates: [`ENGINES`] and [`KNOWN`].
macro_rules! engines {
    ($($feature:literal $engine:ident,)*) => {
        /// All that are built in.
        pub(crate) const ENGINES: &[Engine] = &[$(#[cfg(feature = $feature)] $engine::ENGINE,)*];

        /// The names of those that there could be, and how to have them.
        const KNOWN: &[(&str, &str)] = &[$(($feature, concat!("enable the cargo feature `", $feature, "`")),)*];
    };
}

// An engine is added by its crate and its line here.
engines! {
    "wgpu" crosslane_wgpu,
    "cuda" crosslane_cuda,
    "cpu" crosslane_cpu,
}

/// A device of an engine's list.
pub(crate) struct Listed {
    engine: &'static Engine,
    index: usize,
    pub properties: Properties,
}

/// Every device of every engine.
pub(crate) fn list() -> Vec<Listed> {
    let _exclusive = Exclusive::take();
    let of = |engine: &'static Engine| {
        let all = (engine.list)().into_iter().enumerate();
        all.map(move |(index, properties)| Listed { engine, index, properties })
    };
    ENGINES.iter().flat_map(of).collect()
}

/// Opens one of them.
pub(crate) fn open(listed: &Listed, options: &Options) -> Result<Arc<dyn Driver>> {
    let _exclusive = Exclusive::take();
    (listed.engine.open)(listed.index, options)
}

/// Opens the device of a browser, which one engine reaches.
#[cfg(target_family = "wasm")]
pub(crate) async fn open_in_browser(options: &Options) -> Result<Arc<dyn Driver>> {
    #[cfg(feature = "wgpu")]
    return crosslane_wgpu::page::open(options).await;
    #[cfg(not(feature = "wgpu"))]
    request("wgpu", options).expect("its name is known")
}

/// Opens what is asked for by an engine's name, `cpu:checked` for instance, in small letters; `None` if no engine is named.
pub(crate) fn request(request: &str, options: &Options) -> Option<Opened> {
    let (name, rest) = request.split_once(':').unwrap_or((request, ""));
    match ENGINES.iter().find(|engine| engine.name == name) {
        Some(engine) => {
            let _exclusive = Exclusive::take();
            (engine.request)(rest, options)
        }
        None => {
            let (engine, help) = *KNOWN.iter().find(|(known, _)| *known == name)?;
            Some(Err(ErrorKind::NotBuilt { engine, help }.into()))
        }
    }
}
