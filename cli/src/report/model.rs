//! A report as data: what `--json` writes, and what `--merge` and `--compare` read.

use super::super::Outcome;
use crosslane::Replacement;
use serde::{Deserialize, Serialize};
use std::io::Write;
use std::path::Path;

/// Bytes of a report at most.
const LARGEST: u64 = 1 << 28;

/// What one or several machines measured.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// The version of crosslane.
    pub version: String,
    /// `tiny`, `quick` or `full`.
    pub scale: String,
    /// Whether every row was measured; else the next run goes on.
    pub complete: bool,
    /// The row that is being measured.
    pub running: Option<Running>,
    pub platforms: Vec<Platform>,
    pub rows: Vec<Row>,
}

/// A row that has begun, and how often: one that ends the program twice has failed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Running {
    pub problem: String,
    pub platform: String,
    pub attempts: u32,
}

/// An engine on a device.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Platform {
    /// Its name in rows: the device and the engine.
    pub name: String,
    /// What the engines share that are compared with each other: a card, or the processor.
    pub hardware: String,
    pub engine: String,
    pub driver: String,
    /// Measured: a copy of arrays of the suite's size, and multiply-adds of f32.
    pub bytes_per_second: f64,
    pub flops_per_second: f64,
}

/// A problem on a platform.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Row {
    pub suite: String,
    pub name: String,
    pub platform: String,
    pub n: usize,
    pub bytes: u64,
    pub flops: u64,
    pub result: Measured,
}

/// What came of a row.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Measured {
    /// The result was right; by the device's clock, if it has one, and by the host's. Joules that the device uses in one run,
    /// if its driver counts them.
    Right {
        device: Option<Spread>,
        host: Spread,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        joules: Option<f64>,
    },
    /// Why there is no time: the result was wrong, or the device cannot run it.
    Failed { why: String },
}

/// How times are spread, in seconds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Spread {
    pub runs: usize,
    pub min: f64,
    pub lower_quartile: f64,
    pub median: f64,
    pub upper_quartile: f64,
    pub p95: f64,
}

impl Spread {
    /// Of sorted times, to five digits; `None` without any. A quantile is the smallest time that is not exceeded by its share of runs.
    pub fn of(sorted: &[f64]) -> Option<Spread> {
        let quantile = |share: f64| {
            let rank = (share * sorted.len() as f64).ceil() as usize;
            sorted.get(rank.clamp(1, sorted.len().max(1)) - 1).copied().map(rounded)
        };
        Some(Spread {
            runs: sorted.len(),
            min: rounded(*sorted.first()?),
            lower_quartile: quantile(0.25)?,
            median: quantile(0.5)?,
            upper_quartile: quantile(0.75)?,
            p95: quantile(0.95)?,
        })
    }
}

/// To five digits: no clock or counter measures more, and files stay small.
pub fn rounded(value: f64) -> f64 {
    format!("{value:.4e}").parse().unwrap_or(value)
}

impl Row {
    /// The problem's name in tables and filters.
    pub fn problem(&self) -> String {
        format!("{} {}", self.suite, self.name)
    }

    /// The spread that counts: the device's, else the host's; `None` if the row failed.
    pub fn spread(&self) -> Option<&Spread> {
        match &self.result {
            Measured::Right { device, host, .. } => Some(device.as_ref().unwrap_or(host)),
            Measured::Failed { .. } => None,
        }
    }

    /// Why it failed.
    pub fn failure(&self) -> Option<&str> {
        match &self.result {
            Measured::Right { .. } => None,
            Measured::Failed { why } => Some(why),
        }
    }
}

impl Report {
    /// The row of a problem on a platform.
    pub fn row(&self, problem: &str, platform: &str) -> Option<&Row> {
        self.rows.iter().find(|row| row.platform == platform && row.problem() == problem)
    }

    /// The problems' names, each once, in the order of the rows.
    pub fn problems(&self) -> Vec<String> {
        let mut problems: Vec<String> = vec![];
        for problem in self.rows.iter().map(Row::problem) {
            if !problems.contains(&problem) {
                problems.push(problem);
            }
        }
        problems
    }

    /// The suites' names, each once, in the order of the rows.
    pub fn suites(&self) -> Vec<&str> {
        let mut suites: Vec<&str> = vec![];
        for row in &self.rows {
            if !suites.contains(&row.suite.as_str()) {
                suites.push(&row.suite);
            }
        }
        suites
    }

    pub fn read(path: &Path) -> Outcome<Report> {
        let told = |error: &dyn std::fmt::Display| format!("report: {}: {error}", path.display());
        let about = std::fs::metadata(path).map_err(|error| told(&error))?;
        if !about.is_file() || about.len() > LARGEST {
            return Err(told(&format!("wanted a file of {LARGEST} bytes at most")).into());
        }
        let text = std::fs::read_to_string(path).map_err(|error| told(&error))?;
        let report: Report = serde_json::from_str(&text).map_err(|error| told(&error))?;
        if let Some(row) = report.rows.iter().find(|row| report.platform(&row.platform).is_none()) {
            return Err(told(&format!("a row's platform is not listed: {:?}", row.platform)).into());
        }
        Ok(report)
    }

    pub fn platform(&self, name: &str) -> Option<&Platform> {
        self.platforms.iter().find(|platform| platform.name == name)
    }

    /// Replaces the file: a reader sees all of it or the one before. A row has a line.
    pub fn write(&self, path: &Path) -> Outcome {
        let lines = |items: Vec<serde_json::Result<String>>| -> Outcome<String> {
            Ok(items.into_iter().collect::<serde_json::Result<Vec<_>>>()?.join(",\n"))
        };
        let head = serde_json::to_string(&Report { platforms: vec![], rows: vec![], ..self.clone() })?;
        let head = head.strip_suffix("\"platforms\":[],\"rows\":[]}").expect("the last fields are empty lists");
        let platforms = lines(self.platforms.iter().map(serde_json::to_string).collect())?;
        let rows = lines(self.rows.iter().map(serde_json::to_string).collect())?;
        write(path, &format!("{head}\n\"platforms\":[\n{platforms}\n],\n\"rows\":[\n{rows}\n]}}\n"))
    }

    /// The platforms and rows of several reports, each with the name of its file.
    ///
    /// A platform of the same name on the same hardware is one machine's, measured in parts, if no row is in both reports.
    /// Else it is another machine's, as is one on other hardware: a name in brackets tells it apart.
    pub fn merged(reports: &[(String, Report)]) -> Report {
        let mut all = Report { complete: true, ..Report::default() };
        for (file, report) in reports {
            let mut report = report.clone();
            report.part_from(&all, file);
            all.version.clone_from(&report.version);
            all.scale = match all.scale.as_str() {
                "" => report.scale.clone(),
                scale if scale == report.scale => report.scale.clone(),
                _ => "several".into(),
            };
            all.complete &= report.complete;
            for platform in report.platforms {
                all.platforms.retain(|other| other.name != platform.name);
                all.platforms.push(platform);
            }
            all.rows.extend(report.rows);
        }
        all
    }

    /// Renames platforms of other machines that have the names of some in `all`.
    fn part_from(&mut self, all: &Report, file: &str) {
        for platform in &mut self.platforms {
            let Some(other) = all.platform(&platform.name) else { continue };
            let own: Vec<String> =
                self.rows.iter().filter(|row| row.platform == platform.name).map(Row::problem).collect();
            let joins = |name: &str| {
                let measured = || own.iter().any(|problem| all.row(problem, name).is_some());
                all.platform(name).is_none_or(|other| other.hardware == platform.hardware && !measured())
            };
            let mut names = vec![platform.name.clone()];
            if other.hardware != platform.hardware {
                names.push(format!("{} ({})", platform.name, platform.hardware));
            }
            let found = names.into_iter().find(|name| joins(name));
            if found.is_none() {
                // The engines of one piece of hardware are compared with each other: this is another piece.
                platform.hardware = format!("{} ({file})", platform.hardware);
            }
            let name = found.unwrap_or_else(|| format!("{} ({file})", platform.name));
            let own = self.rows.iter_mut().filter(|row| row.platform == platform.name);
            own.for_each(|row| row.platform.clone_from(&name));
            platform.name = name;
        }
    }

    /// Adds a row, in place of the one of the same problem and platform.
    pub fn put(&mut self, row: Row) {
        match self.rows.iter_mut().find(|old| old.platform == row.platform && old.problem() == row.problem()) {
            Some(old) => *old = row,
            None => self.rows.push(row),
        }
    }
}

/// Replaces a file by this text.
pub fn write(path: &Path, text: &str) -> Outcome {
    let write = || {
        let mut file = Replacement::new(path)?;
        file.write_all(text.as_bytes())?;
        file.finish()
    };
    write().map_err(|error: std::io::Error| format!("report: {}: {error}", path.display()).into())
}
