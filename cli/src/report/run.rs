//! Measuring: every problem on every engine, written row by row, so that an interrupted run goes on where it was.

use super::super::bench::progress;
use super::super::energy::Meter;
use super::super::engines::{self, Engine};
use super::super::measure::{Effort, Times, timed};
use super::super::{Outcome, caught, measure};
use super::model::{self, Measured, Platform, Report, Row, Running, Spread};
use super::suite::{self, Problem, Scale, Setting, Sizes};
use crosslane::device::{DeviceKind, Properties};
use crosslane::{Array, Device};
use std::path::Path;
use std::time::Duration;

/// The engine that checks kernels and does not compile them: measured on request, at the smallest sizes.
const INTERPRETED: &str = "interpreted";
/// Times that a row may end the program.
const ATTEMPTS: u32 = 2;

/// What is measured.
pub struct Plan {
    pub scale: Scale,
    /// Parts of platforms' names; all but the interpreter without any.
    pub devices: Vec<String>,
    /// A part of the problems' names.
    pub filter: String,
    /// Whether an unfinished report of the same plan goes on.
    pub resume: bool,
}

fn effort(scale: Scale) -> Effort {
    let [warm, budget] = match scale {
        Scale::Tiny => [0, 0],
        Scale::Quick => [5, 30],
        Scale::Full => [400, 1000],
    };
    let runs = if scale == Scale::Full { 40 } else { 15 };
    Effort { warm: Duration::from_millis(warm), runs, budget: Duration::from_millis(budget) }
}

/// How long the energy of a row is counted. In 60 ms NVML's counter of an H200 did not move in a third of the rows.
const COUNTED: Duration = Duration::from_millis(400);

fn word(scale: Scale) -> &'static str {
    match scale {
        Scale::Tiny => "tiny",
        Scale::Quick => "quick",
        Scale::Full => "full",
    }
}

/// A device's name without what its driver adds in brackets, or after a slash.
fn short(name: &str) -> &str {
    let name = name.split(" (").next().unwrap_or(name);
    name.split('/').next().unwrap_or(name)
}

/// What the processor calls itself, and its threads.
fn processor() -> String {
    let about = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = about.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let model = model.map_or_else(|| format!("{} processor", std::env::consts::ARCH), |(_, model)| model.trim().into());
    format!("{model}, {threads} threads")
}

/// A platform before its roofline is measured.
fn platform(engine: &Engine, properties: &Properties) -> Platform {
    let software = properties.kind == DeviceKind::Software;
    Platform {
        name: format!("{} {}", short(&properties.name), engine.name),
        hardware: if software { processor() } else { short(&properties.name).into() },
        engine: engine.name.clone(),
        driver: properties.driver.clone(),
        bytes_per_second: 0.0,
        flops_per_second: 0.0,
    }
}

/// The engines that are wanted, each with a name of its own.
fn wanted(devices: &[String]) -> Outcome<Vec<(Engine, Platform, Properties)>> {
    let mut all: Vec<(Engine, Platform, Properties)> = vec![];
    for (engine, properties) in engines::all() {
        let mut platform = platform(&engine, &properties);
        let named = |part: &String| platform.name.to_lowercase().contains(&part.trim().to_lowercase());
        let chosen = if devices.is_empty() { engine.name != INTERPRETED } else { devices.iter().any(named) };
        if chosen {
            let same = all.iter().filter(|(_, other, _)| other.name.starts_with(&platform.name)).count();
            if same > 0 {
                platform.name = format!("{} ({})", platform.name, same + 1);
            }
            all.push((engine, platform, properties));
        }
    }
    match all.is_empty() {
        true => Err(format!("report: --devices: no platform's name contains one of {devices:?}").into()),
        false => Ok(all),
    }
}

/// The report to go on with: an unfinished one of the same version and sizes, or an empty one.
pub fn resumed(old: Option<Report>, scale: Scale) -> Report {
    let version = env!("CARGO_PKG_VERSION");
    match old {
        Some(old) if !old.complete && old.version == version && old.scale == word(scale) => old,
        _ => Report { version: version.into(), scale: word(scale).into(), ..Report::default() },
    }
}

/// Measures all of it into the file.
pub fn run(plan: &Plan, path: &Path) -> Outcome<Report> {
    let mut problems = suite::all();
    problems.retain(|problem| problem.label().to_lowercase().contains(&plan.filter.to_lowercase()));
    if problems.is_empty() {
        return Err(format!("report: --filter: no problem's name contains {:?}", plan.filter).into());
    }
    let engines = wanted(&plan.devices)?;
    let old = if plan.resume && path.exists() { Some(Report::read(path)?) } else { None };
    let mut report = resumed(old, plan.scale);
    report.write(path)?; // a place that cannot be written is found out before anything is measured
    let bar = progress(engines.len() * problems.len())?;
    for (engine, platform, properties) in &engines {
        bar.suspend(|| eprintln!("report: {}", platform.name));
        // Small problems use less than a counter tells.
        let meter = if plan.scale == Scale::Full { Meter::of(properties) } else { None };
        let mut bench = Bench { engine, name: platform.name.clone(), scale: plan.scale, device: None, meter };
        if let Err(error) = bench.roofline(&mut report, platform) {
            bar.suspend(|| eprintln!("report: {}: no roofline: {error}", platform.name));
        }
        for problem in &problems {
            bar.set_message(problem.label());
            if begin(&mut report, &problem.label(), &platform.name) {
                report.write(path)?;
                let row = bench.row(problem);
                if let Some(why) = row.failure() {
                    bar.suspend(|| eprintln!("report: {}: {} failed: {why}", platform.name, problem.label()));
                }
                report.put(row);
                report.running = None;
            }
            bar.inc(1);
        }
    }
    bar.finish_and_clear();
    report.complete = true;
    report.write(path)?;
    Ok(report)
}

/// Whether a row is to be measured now, which is noted: one that has ended the program too often has failed.
pub fn begin(report: &mut Report, problem: &str, platform: &str) -> bool {
    if report.row(problem, platform).is_some() {
        return false;
    }
    let last = report.running.take().filter(|last| last.problem == problem && last.platform == platform);
    let attempts = last.map_or(0, |last| last.attempts);
    if attempts >= ATTEMPTS {
        let (suite, name) = problem.rsplit_once(' ').unwrap_or(("", problem));
        report.put(failed(suite, name, platform, format!("the program ended {attempts} times while this ran")));
        return false;
    }
    report.running = Some(Running { problem: problem.into(), platform: platform.into(), attempts: attempts + 1 });
    true
}

fn failed(suite: &str, name: &str, platform: &str, why: String) -> Row {
    let (suite, name, platform) = (suite.into(), name.into(), platform.into());
    Row { suite, name, platform, n: 0, bytes: 0, flops: 0, result: Measured::Failed { why } }
}

/// An engine that is measured. It is opened anew after a row that failed: its device may be lost.
struct Bench<'a> {
    engine: &'a Engine,
    name: String,
    scale: Scale,
    device: Option<Device>,
    meter: Option<Meter>,
}

impl Bench<'_> {
    fn device(&mut self) -> Outcome<Device> {
        let device = match self.device.take() {
            Some(device) => device,
            None => self.engine.open()?,
        };
        Ok(self.device.insert(device).clone())
    }

    fn sizes(&self, device: &Device) -> Sizes {
        let scale = if self.engine.name == INTERPRETED { Scale::Tiny } else { self.scale };
        Sizes::of(scale, device)
    }

    /// Lists the platform, with a roofline that is measured once: the rate of a copy of arrays as long as the suite's, and of
    /// multiply-adds. The copy's shortest time counts.
    fn roofline(&mut self, report: &mut Report, platform: &Platform) -> Outcome {
        let known = report.platform(&platform.name).is_some_and(|known| known.bytes_per_second > 0.0);
        if !known {
            report.platforms.retain(|other| other.name != platform.name);
            report.platforms.push(platform.clone());
            let device = self.device()?;
            let n = self.sizes(&device).line;
            let x = Array::full(&device, &[n], 1.0f32).copy();
            let row = measure::Row {
                op: "copy",
                n,
                group: measure::Group::Memory { bytes: 8 * n as u64 },
                before: None,
                check: Box::new(|| Ok(())),
                work: Box::new(|| x.copy().eval()),
            };
            let times = timed(&row, &device, &effort(self.scale))?;
            let shortest = times.device.unwrap_or(times.host)[0];
            let last = report.platforms.last_mut().expect("it was pushed");
            last.bytes_per_second = 8.0 * n as f64 / shortest;
            last.flops_per_second = device.roofline()?.flops_per_second;
        }
        Ok(())
    }

    fn row(&mut self, problem: &Problem) -> Row {
        let row = caught(|| self.measured(problem)).and_then(|row| row);
        row.unwrap_or_else(|error| {
            self.device = None;
            failed(problem.suite, problem.name, &self.name, error.to_string())
        })
    }

    fn measured(&mut self, problem: &Problem) -> Outcome<Row> {
        let device = self.device()?;
        let prepared = (problem.prepare)(&Setting { device: &device, name: problem.name, sizes: self.sizes(&device) })?;
        let timed_row = prepared.row(problem.name);
        let Times { device: on_device, host } = timed(&timed_row, &device, &effort(self.scale))?;
        let host = Spread::of(&host).ok_or("there are no times")?;
        let joules = match &self.meter {
            Some(meter) => meter.per_run(COUNTED, || Ok((timed_row.work)()?), || Ok(device.synchronize()?))?,
            None => None,
        };
        Ok(Row {
            suite: problem.suite.into(),
            name: problem.name.into(),
            platform: self.name.clone(),
            n: prepared.n,
            bytes: prepared.work.bytes,
            flops: prepared.work.flops,
            result: Measured::Right {
                device: on_device.as_deref().and_then(Spread::of),
                host,
                joules: joules.map(model::rounded),
            },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::suite::{Prepare, Prepared, Work};
    use super::*;

    fn prepared(setting: &Setting, wanted: f64) -> Outcome<Prepared> {
        let x = Array::from_slice(setting.device, &[1.0f32, 2.0]);
        Ok(Prepared::new(2, Work::each(2, 1, 1), 1e-6, move || Ok(x.sum()), move || vec![wanted]))
    }

    /// Right, wrong, not possible, and a panic: each is a row.
    #[test]
    fn what_fails_is_a_row_that_says_why() {
        let (engine, platform, _) = wanted(&["cpu interpreted".into()]).unwrap().remove(0);
        let mut bench =
            Bench { engine: &engine, name: platform.name.clone(), scale: Scale::Tiny, device: None, meter: None };
        let mut report = Report::default();
        bench.roofline(&mut report, &platform).unwrap();
        assert!(report.platforms[0].bytes_per_second > 0.0 && report.platforms[0].flops_per_second > 0.0);
        let cases: [(Prepare, Option<&str>); 5] = [
            (|setting| prepared(setting, 3.0), None),
            (|setting| prepared(setting, 4.0), Some("wrong result at index 0: wanted 4e0")),
            (|_| Err("it cannot".into()), Some("it cannot")),
            (|_| panic!("it fell"), Some("it fell")),
            (|setting| prepared(setting, 3.0), None),
        ];
        for (prepare, why) in cases {
            let row = bench.row(&Problem { suite: "S", name: "P", prepare });
            match why {
                None => assert!(row.spread().unwrap().median > 0.0),
                Some(why) => assert!(row.failure().unwrap().contains(why), "{:?}", row.failure()),
            }
            assert_eq!(
                super::super::efficiency::efficiency(
                    &Report { rows: vec![row.clone()], ..report.clone() },
                    &row,
                    super::super::efficiency::Against::Best,
                ) > 0.0,
                why.is_none()
            );
        }
    }

    #[test]
    fn platforms_are_found_by_parts_of_their_names() {
        assert!(wanted(&[]).unwrap().iter().all(|(engine, ..)| engine.name != INTERPRETED));
        assert!(wanted(&["no such device".into()]).is_err());
        let all = wanted(&["cpu compiled".into(), "CPU interpreted".into()]).unwrap();
        assert_eq!(
            all.iter().map(|(_, platform, _)| platform.name.as_str()).collect::<Vec<_>>(),
            ["cpu compiled", "cpu interpreted"]
        );
        assert!(all.iter().all(|(_, platform, _)| platform.hardware.ends_with(" threads")));
    }
}
