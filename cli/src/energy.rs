//! The energy that a device uses, where its driver counts it: NVIDIA's by NVML, other cards' by the kernel's hwmon, the
//! processor's by RAPL.

use super::Outcome;
use crosslane::device::{DeviceKind, Properties};
use nvml_wrapper::Nvml;
use std::cell::OnceCell;
use std::ffi::OsStr;
use std::fs::read_to_string;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Runs between two looks at the clock at most: a card is kept busy.
const MOST: u32 = 8;

/// A counter of joules.
pub enum Meter {
    /// NVIDIA's management library, and the card's PCI bus address there.
    Nvml(Box<Nvml>, String),
    /// Files of microjoules, each with the value after which it begins anew, if it does.
    Files(Vec<(PathBuf, Option<f64>)>),
}

impl Meter {
    /// The counter of a device; `None` where its driver has none, or lets only the administrator read it.
    pub fn of(properties: &Properties) -> Option<Meter> {
        let meter = match (&properties.pci_bus, properties.kind) {
            (_, DeviceKind::Software) => Meter::Files(packages(Path::new("/sys/class/powercap"))),
            (Some(bus), _) => match nvml() {
                Some(library) if library.device_by_pci_bus_id(bus.as_str()).is_ok() => {
                    Meter::Nvml(Box::new(library), bus.clone())
                }
                _ => Meter::Files(sensors(&Path::new("/sys/bus/pci/devices").join(bus))),
            },
            (None, _) => return None,
        };
        meter.read().map(|_| meter)
    }

    /// Joules that each counter has counted.
    fn read(&self) -> Option<Vec<f64>> {
        match self {
            Meter::Nvml(library, bus) => {
                let millijoules =
                    library.device_by_pci_bus_id(bus.as_str()).and_then(|card| card.total_energy_consumption());
                Some(vec![millijoules.ok()? as f64 * 1e-3])
            }
            Meter::Files(files) if files.is_empty() => None,
            Meter::Files(files) => files.iter().map(|(path, _)| number(path).map(|count| count * 1e-6)).collect(),
        }
    }

    /// Joules from one reading to the next. A file that began anew meanwhile counts on from its end.
    fn between(&self, before: &[f64], after: &[f64]) -> f64 {
        let ends: Vec<Option<f64>> = match self {
            Meter::Nvml(..) => vec![None],
            Meter::Files(files) => files.iter().map(|(_, end)| *end).collect(),
        };
        let each = before.iter().zip(after).zip(ends).map(|((before, after), end)| match after - before {
            used if used < 0.0 => used + end.unwrap_or(0.0) * 1e-6,
            used => used,
        });
        each.sum()
    }

    /// Joules of one run: those that the whole device uses while the work is done again and again for `span`, by the number of
    /// runs. `None` if the counter did not move: it is too slow for the span.
    pub fn per_run(
        &self,
        span: Duration,
        work: impl Fn() -> Outcome,
        wait: impl Fn() -> Outcome,
    ) -> Outcome<Option<f64>> {
        let start = OnceCell::new();
        self.per_run_while(|| start.get_or_init(Instant::now).elapsed() < span, work, wait)
    }

    /// The same, while there is time. Work that takes longer runs once.
    fn per_run_while(
        &self,
        is_time_left: impl Fn() -> bool,
        work: impl Fn() -> Outcome,
        wait: impl Fn() -> Outcome,
    ) -> Outcome<Option<f64>> {
        wait()?;
        let Some(before) = self.read() else { return Ok(None) };
        let (mut runs, mut next) = (0, 1);
        while is_time_left() || runs == 0 {
            (0..next).try_for_each(|_| work())?;
            wait()?;
            runs += next;
            next = (2 * next).min(MOST);
        }
        let used = self.read().map_or(0.0, |after| self.between(&before, &after));
        Ok((used > 0.0).then(|| used / f64::from(runs)))
    }
}

fn nvml() -> Option<Nvml> {
    // The name without a version is there only with the development kit.
    let versioned = Nvml::builder().lib_path(OsStr::new("libnvidia-ml.so.1")).init();
    versioned.or_else(|_| Nvml::init()).ok()
}

fn number(path: &Path) -> Option<f64> {
    read_to_string(path).ok()?.trim().parse().ok()
}

fn entries(folder: &Path) -> impl Iterator<Item = PathBuf> + use<> {
    std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path())
}

/// The counters of the processor's packages: `intel-rapl:0`, not their parts, `intel-rapl:0:0`. AMD's have the same names.
fn packages(folder: &Path) -> Vec<(PathBuf, Option<f64>)> {
    let package = |path: &PathBuf| {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or("");
        name.strip_prefix("intel-rapl:").is_some_and(|number| !number.contains(':'))
    };
    let counter = |path: PathBuf| (path.join("energy_uj"), number(&path.join("max_energy_range_uj")));
    let readable = |(path, _): &(PathBuf, Option<f64>)| number(path).is_some();
    entries(folder).filter(package).map(counter).filter(readable).collect()
}

/// The counter of a card, which Intel's drivers have: the first of its hwmon.
fn sensors(card: &Path) -> Vec<(PathBuf, Option<f64>)> {
    let files = entries(&card.join("hwmon")).map(|sensor| (sensor.join("energy1_input"), None));
    files.filter(|(path, _)| number(path).is_some()).take(1).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;
    use std::fs::{create_dir_all, write};

    /// A folder of counters as Linux has it, gone at the end.
    struct Folder(PathBuf);

    impl Folder {
        fn new(name: &str, files: &[(&str, &str)]) -> Folder {
            let folder = std::env::temp_dir().join(format!("crosslane-energy-{name}-{}", std::process::id()));
            for (path, text) in files {
                let path = folder.join(path);
                create_dir_all(path.parent().unwrap()).unwrap();
                write(path, text).unwrap();
            }
            Folder(folder)
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = std::fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn energy_is_that_of_all_packages_by_the_runs() {
        let files = [
            ("intel-rapl:0/energy_uj", "1000000\n"),
            ("intel-rapl:0/max_energy_range_uj", "9000000"),
            ("intel-rapl:0:0/energy_uj", "77"), // a part of the package
            ("intel-rapl:1/energy_uj", "8000000"),
            ("intel-rapl:1/max_energy_range_uj", "9000000"),
            ("other/energy_uj", "5"),
        ];
        let folder = Folder::new("packages", &files);
        let meter = Meter::Files(packages(&folder.0));
        let runs = Cell::new(0);
        let work = || {
            runs.set(runs.get() + 1);
            // The second package's counter begins anew: 1.5 J from 8 to 9 and on to 0.5.
            write(folder.0.join("intel-rapl:0/energy_uj"), "1500000")?;
            Ok(write(folder.0.join("intel-rapl:1/energy_uj"), "500000")?)
        };
        let joules = meter.per_run(Duration::ZERO, work, || Ok(())).unwrap().unwrap();
        assert_eq!(runs.get(), 1, "the span is over after one");
        assert!((joules - 2.0).abs() < 1e-9, "{joules}");
    }

    #[test]
    fn energy_is_that_of_one_of_many_runs() {
        let folder = Folder::new("runs", &[("hwmon/hwmon0/energy1_input", "0")]);
        let meter = Meter::Files(sensors(&folder.0));
        let (runs, waits) = (Cell::new(0u32), Cell::new(0u32));
        let work = || {
            runs.set(runs.get() + 1);
            Ok(write(folder.0.join("hwmon/hwmon0/energy1_input"), (runs.get() * 3_000_000).to_string())?)
        };
        let wait = || {
            waits.set(waits.get() + 1);
            Ok(())
        };
        let joules = meter.per_run_while(|| runs.get() < 10, work, wait).unwrap().unwrap();
        assert_eq!((runs.get(), waits.get()), (1 + 2 + 4 + 8, 1 + 4));
        assert!((joules - 3.0).abs() < 1e-9, "{joules}");
    }

    #[test]
    fn counters_that_do_not_move_or_are_not_there_give_nothing() {
        let folder = Folder::new("card", &[("hwmon/hwmon3/energy1_input", "4000000"), ("hwmon/hwmon4/name", "fan")]);
        let meter = Meter::Files(sensors(&folder.0));
        assert_eq!(meter.read(), Some(vec![4.0]));
        assert_eq!(meter.per_run(Duration::ZERO, || Ok(()), || Ok(())).unwrap(), None);
        assert!(meter.per_run(Duration::ZERO, || Err("it fell".into()), || Ok(())).is_err());
        assert!(Meter::Files(packages(&folder.0)).read().is_none());
        assert!(sensors(Path::new("/nowhere")).is_empty());
    }
}
