//! What an engine may run in the place of a kernel, going by its contract: its own kernels written by hand, or a vendor's
//! library. Which of the ways is taken is measured the first time that a shape class comes, and kept.

use super::choices::{Choice, Choices, Class, Times, WGSL, class};
use crate::cache::hash;
use crate::error::{ErrorKind, Result};
use crate::kernel::Contract;
use crate::platform::Instant;
use crate::work::Launch;
use std::time::Duration;

/// Measures a way once, in microseconds.
pub type Timer<'a> = Box<dyn FnMut() -> Result<f64> + 'a>;

/// Substitutes for kernels.
pub trait Substitutes {
    /// What has been chosen, of an engine that has substitutes.
    fn choices(&self) -> Option<&Choices> {
        None
    }
    /// The ways that there are for a launch, its kernel's first.
    fn ways(&self, _: &Launch) -> Vec<Way> {
        vec![Way::Wgsl]
    }
    /// The choice, of an engine that knows it without measuring.
    fn rule(&self, _: &Launch) -> Option<Choice> {
        None
    }
    /// What measures each of some ways, on the launch's inputs, and outputs of its own.
    fn timers<'a>(&'a self, _: &'a Launch, _: &[Way]) -> Result<Vec<Timer<'a>>> {
        Ok(vec![])
    }
    /// The device, its driver, and all else that times depend on beside the launch.
    fn identity(&self) -> String {
        String::new()
    }
    /// What a way of a launch is called.
    fn label(&self, way: Way, _: &Launch) -> &'static str {
        name_of(way)
    }
    /// How the kernel itself runs, of an engine that has several ways: for `explain()`.
    fn tier(&self, _: &Launch) -> Option<String> {
        None
    }
    /// The text of a native.
    fn native_text(&self, _: &Launch) -> Option<String> {
        None
    }
}

/// Whether kernels written by hand run in place of translated WGSL.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Natives {
    /// Where they are faster, as measured on the device.
    #[default]
    Auto,
    /// Never.
    Off,
    /// Wherever there is one.
    On,
    /// Use the vendor's library wherever it can do all of a kernel's work, and no kernels written by hand.
    Library,
}

/// What may run for a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// The kernel itself, from its WGSL.
    Wgsl,
    /// Code of the engine's own, written by hand.
    Native,
    /// A vendor's library, or a crate on the processor.
    Library,
}

/// The ways by the names that choices are kept under.
pub(super) const WAYS: [(&str, Way); 3] = [("wgsl", Way::Wgsl), ("native", Way::Native), ("library", Way::Library)];

pub(super) fn name_of(way: Way) -> &'static str {
    WAYS.iter().find(|(_, other)| *other == way).expect("all are listed").0
}

/// Rounds of measurements; the best counts.
const ROUNDS: u32 = 5;
/// After so long there is no further round: what takes that long varies little.
const PATIENCE: Duration = Duration::from_millis(50);

/// What runs for a launch, measured where that is not known.
pub fn choose(engine: &(impl Substitutes + ?Sized), launch: &Launch) -> Result<Choice> {
    let choices = match engine.choices() {
        Some(choices) if launch.kernel.contract().is_some() => choices,
        _ => return Ok(WGSL),
    };
    match choices.settled().or_else(|| engine.rule(launch)) {
        Some(choice) => Ok(choice),
        None => fastest(engine, choices, launch),
    }
}

fn fastest(engine: &(impl Substitutes + ?Sized), choices: &Choices, launch: &Launch) -> Result<Choice> {
    let class = class(launch);
    let key = || key(engine, launch, class);
    // Whether a library does a product depends on more than the class says; it remembers what it cannot do.
    let lasting = !matches!(launch.kernel.contract(), Some(Contract::Contraction(_)));
    let ways = match choices.look(class, lasting, || engine.ways(launch), &key) {
        Ok(choice) => return Ok(choice),
        Err(ways) => ways,
    };
    match measure(engine, launch, &ways) {
        Ok(times) => Ok(choices.keep(class, &key(), &times)),
        Err(error) if matches!(error.kind(), ErrorKind::DeviceLost { .. }) => Err(error),
        Err(error) => {
            log::warn!("{}: its variants are not compared: {error}", launch.kernel.name());
            choices.note(class, WGSL);
            Ok(WGSL)
        }
    }
}

/// All that a choice depends on.
fn key(engine: &(impl Substitutes + ?Sized), launch: &Launch, (_, [groups, bytes]): Class) -> String {
    let ways: Vec<&str> = engine.ways(launch).into_iter().map(name_of).collect();
    let native = engine.native_text(launch).unwrap_or_default();
    format!(
        "{} groups 2^{groups} bytes 2^{bytes} {} {} {:032x} {:032x}",
        engine.identity(),
        ways.join(" "),
        launch.kernel.entry(),
        hash(launch.kernel.source().as_bytes()),
        hash(native.as_bytes())
    )
}

/// Microseconds that each way takes, in turns.
fn measure(engine: &(impl Substitutes + ?Sized), launch: &Launch, ways: &[Way]) -> Result<Times> {
    let mut timers = engine.timers(launch, ways)?;
    let mut times: Times = ways.iter().map(|&way| (way, f64::INFINITY)).collect();
    let start = Instant::now();
    for round in 0..ROUNDS {
        if round > 0 && start.elapsed() > PATIENCE {
            break;
        }
        for (timer, (_, best)) in timers.iter_mut().zip(&mut times) {
            *best = best.min(timer()?);
        }
    }
    Ok(times)
}

/// For `explain()`: what runs for a launch, if there is a choice, and its text if that is not the kernel's.
pub fn explained(engine: &(impl Substitutes + ?Sized), launch: &Launch) -> Option<(String, Option<String>)> {
    let tier = || engine.tier(launch).map(|tier| (tier, None));
    let Some(choices) = engine.choices().filter(|_| engine.ways(launch).len() > 1) else { return tier() };
    let class = class(launch);
    let settled = choices.settled().or_else(|| engine.rule(launch));
    let known = settled.or_else(|| choices.find(class, &|| key(engine, launch, class)));
    let (own, native) = (engine.label(Way::Wgsl, launch), engine.native_text(launch));
    Some(match known.map(|choice| choice.best) {
        Some(Way::Native) => (engine.label(Way::Native, launch).into(), native),
        Some(Way::Library) => (engine.label(Way::Library, launch).into(), None),
        Some(_) => (format!("{own}, preferred over the substitutes"), None),
        None => (format!("{own} or a substitute: not measured yet"), None),
    })
}

/// Which substitutes run from now on, if the engine has any.
pub fn set_natives(engine: &(impl Substitutes + ?Sized), natives: Natives) {
    if let Some(choices) = engine.choices() {
        choices.set(natives);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::caps::Caps;
    use crate::kernel::{Draft, Kernel, Shader, Spec, SumOfRows};
    use crate::op::Grid;
    use std::cell::Cell;

    /// A kernel with a contract, and one without.
    #[derive(Clone, PartialEq, Eq, Hash)]
    struct Sum(bool);

    impl Spec for Sum {
        fn draft(&self, _: &Caps) -> Draft {
            let sum = SumOfRows { workgroup: 1, unroll: 1, strided: false, last: true };
            let contract = self.0.then_some(Contract::SumOfRows(sum));
            Draft {
                contract,
                ..Draft::new("sum", Shader { name: "sum", text: "@compute @workgroup_size(1) fn sum() {}" })
            }
        }
    }

    /// An engine whose native takes this many microseconds, and whose kernel takes 10.
    struct Engine {
        choices: Choices,
        native: f64,
        measured: Cell<u32>,
    }

    impl Substitutes for Engine {
        fn choices(&self) -> Option<&Choices> {
            Some(&self.choices)
        }
        fn ways(&self, launch: &Launch) -> Vec<Way> {
            if launch.kernel.contract().is_some() { vec![Way::Wgsl, Way::Native] } else { vec![Way::Wgsl] }
        }
        fn timers<'a>(&'a self, _: &'a Launch, ways: &[Way]) -> Result<Vec<Timer<'a>>> {
            let timer = |way: &Way| -> Timer<'a> {
                let time = if *way == Way::Native { self.native } else { 10.0 };
                Box::new(move || {
                    self.measured.set(self.measured.get() + 1);
                    Ok(time)
                })
            };
            Ok(ways.iter().map(timer).collect())
        }
        fn label(&self, way: Way, _: &Launch) -> &'static str {
            ["the kernel", "by hand", "by a library"][way as usize]
        }
        fn native_text(&self, _: &Launch) -> Option<String> {
            Some("text".into())
        }
    }

    #[test]
    fn any_engine_chooses_by_measuring_once() {
        let launch = |contract| Launch {
            kernel: Kernel::of(Sum(contract), &Caps::webgpu()),
            buffers: vec![],
            params: vec![],
            grid: Grid::Fixed([1, 1, 1]),
            cost: None,
        };
        let (with, without) = (launch(true), launch(false));
        for (native, best, told) in [
            (5.0, Way::Native, ("by hand", Some("text"))),
            (9.9, Way::Wgsl, ("the kernel, preferred over the substitutes", None)),
        ] {
            let engine = Engine { choices: Choices::from_environment(None, false), native, measured: Cell::new(0) };
            set_natives(&engine, Natives::Auto);
            let explain = || explained(&engine, &with);
            assert_eq!(explain().unwrap().0, "the kernel or a substitute: not measured yet");
            (0..3).for_each(|_| assert_eq!(choose(&engine, &with).unwrap().best, best));
            assert_eq!(engine.measured.get(), 2 * ROUNDS);
            let (what, text) = explain().unwrap();
            assert_eq!((what.as_str(), text.as_deref()), told);
            assert_eq!((choose(&engine, &without).unwrap(), explained(&engine, &without)), (WGSL, None));
            set_natives(&engine, Natives::Off);
            assert_eq!(choose(&engine, &with).unwrap(), WGSL);
            set_natives(&engine, Natives::On);
            assert_eq!(choose(&engine, &with).unwrap().best, Way::Native);
        }
    }
}
