//! `crosslane report`: performance portability of a suite of problems over the engines of this machine, and of others' reports.

mod changes;
mod chart;
mod csv;
mod efficiency;
mod model;
mod page;
mod run;
mod suite;

use super::{Outcome, print, table};
use changes::{Change, Changed};
use efficiency::{Against, of_suite, portability};
use model::Report;
use std::path::{Path, PathBuf};
use suite::Scale;

#[derive(clap::Args)]
pub struct Options {
    /// Small problems and few repetitions: 90 s on two cores.
    #[arg(long, conflicts_with_all = ["scale", "merge", "compare"])]
    quick: bool,
    /// How large the problems are.
    #[arg(long, value_enum, default_value = "full", hide = true)]
    scale: Scale,
    /// Only platforms whose name contains one of these: `vulkan`, `llvmpipe gl`, `interpreted`.
    #[arg(long, value_name = "PART,PART", value_delimiter = ',')]
    devices: Vec<String>,
    /// Only problems whose name contains this: `RAJAPerf`, `BabelStream Triad`.
    #[arg(long, value_name = "PART", default_value = "")]
    filter: String,
    /// The report as data, written row by row. An unfinished one goes on.
    #[arg(long, value_name = "FILE", default_value = "report.json")]
    json: PathBuf,
    /// The report as one page [default: the name of the JSON file, with .html].
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// The efficiencies, as p3-analysis reads them.
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    /// The cascade plot as a picture.
    #[arg(long, value_name = "FILE.svg")]
    svg: Option<PathBuf>,
    /// Does not go on with an unfinished report.
    #[arg(long)]
    fresh: bool,
    /// Joins reports of several machines, and measures nothing. Of two machines with one name the second has its file's too.
    #[arg(long, value_name = "FILE", num_args = 1.., conflicts_with = "compare")]
    merge: Vec<PathBuf>,
    /// Finds what is slower in the second report than in the first: exit status 1 if anything is.
    #[arg(long, value_names = ["OLD", "NEW"], num_args = 2)]
    compare: Vec<PathBuf>,
}

pub fn run(options: &Options) -> Outcome {
    if let [old, new] = &options.compare[..] {
        return compare(&Report::read(old)?, &Report::read(new)?);
    }
    let report = if options.merge.is_empty() {
        let scale = if options.quick { Scale::Quick } else { options.scale };
        let (devices, filter) = (options.devices.clone(), options.filter.clone());
        run::run(&run::Plan { scale, devices, filter, resume: !options.fresh }, &options.json)?
    } else {
        let merged = Report::merged(&named(&options.merge)?);
        merged.write(&options.json)?;
        merged
    };
    written(&report, options)?;
    print(&summary(&report))
}

/// The reports of files, each with its file's name; with its folders where several files have that.
fn named(paths: &[PathBuf]) -> Outcome<Vec<(String, Report)>> {
    let short = |path: &Path| path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let report = |(nth, path): (usize, &PathBuf)| {
        if paths[..nth].contains(path) {
            return Err(format!("report: --merge: {} is given twice", path.display()).into());
        }
        let alike = paths.iter().filter(|other| short(other) == short(path)).count();
        let name = if alike > 1 { path.with_extension("").display().to_string() } else { short(path) };
        Ok((name, Report::read(path)?))
    };
    paths.iter().enumerate().map(report).collect()
}

/// The forms of the report other than JSON.
fn written(report: &Report, options: &Options) -> Outcome {
    let html = options.html.clone().unwrap_or_else(|| options.json.with_extension("html"));
    model::write(&html, &page::page(report))?;
    let write = |path: &Option<PathBuf>, text: &dyn Fn() -> String| {
        path.as_deref().map_or(Ok(()), |path: &Path| model::write(path, &text()))
    };
    write(&options.csv, &|| csv::csv(report))?;
    write(&options.svg, &|| {
        let cascade = chart::cascade::cascade(report, Against::Roofline);
        cascade.file("Efficiency of crosslane's suites by platform, and their performance portability")
    })
}

/// Efficiencies of suites on platforms, of the roofline.
fn summary(report: &Report) -> String {
    let names = report.platforms.iter().map(|platform| platform.name.clone());
    let header: Vec<String> = ["suite".to_string()].into_iter().chain(names).chain(["PP".to_string()]).collect();
    let line = |suite: &str| {
        let all: Vec<f64> =
            report.platforms.iter().map(|p| of_suite(report, suite, &p.name, Against::Roofline)).collect();
        let cells = all.iter().map(|efficiency| format!("{efficiency:.3}"));
        let pp = format!("{:.3}", portability(all.iter().copied()));
        [suite.to_string()].into_iter().chain(cells).chain([pp]).collect()
    };
    let lines: Vec<Vec<String>> = [header].into_iter().chain(report.suites().into_iter().map(line)).collect();
    let failed = report.rows.iter().filter(|row| row.failure().is_some()).count();
    let [roofline, best] = Against::ALL.map(|against| efficiency::median_portability(report, against));
    format!(
        "Efficiency of the roofline: the harmonic mean over a suite's problems, and PP over the platforms.\n{}\n\
         Half of the problems have a PP of {roofline:.3} at least of the roofline, {best:.3} of the best engine. {} rows, \
         {failed} failed.",
        table::boxed(&lines),
        report.rows.len()
    )
}

/// Prints what has changed; an error if a row is slower or broken.
fn compare(old: &Report, new: &Report) -> Outcome {
    let (text, worse) = comparison(old, new);
    print(&text)?;
    match worse {
        0 => Ok(()),
        worse => Err(format!("report: {worse} rows are slower or broken").into()),
    }
}

/// What has changed, as text, and how many rows are slower or broken.
fn comparison(old: &Report, new: &Report) -> (String, usize) {
    let changed = changes::changes(old, new);
    let shown = |change: Change| !matches!(change, Change::Same | Change::Incomparable);
    let line = |row: &Changed| {
        let ratio = row.ratio.map_or("-".into(), |ratio| format!("{ratio:.2}"));
        vec![row.problem.clone(), row.platform.clone(), ratio, format!("{:?}", row.change).to_lowercase()]
    };
    let header = ["problem", "platform", "new : old", "change"].map(String::from).to_vec();
    let lines: Vec<Vec<String>> = changed.iter().filter(|row| shown(row.change)).map(line).collect();
    let table = if lines.is_empty() { String::new() } else { table::boxed(&[vec![header], lines].concat()) + "\n" };
    let count = |wanted: Change| changed.iter().filter(|row| row.change == wanted).count();
    let (slower, broken) = (count(Change::Slower), count(Change::Broken));
    let text = format!(
        "{table}{} rows: {slower} slower, {} faster, {} the same within their spread, {broken} broken, {} mended, {} not comparable",
        changed.len(),
        count(Change::Faster),
        count(Change::Same),
        count(Change::Mended),
        count(Change::Incomparable)
    );
    (text, slower + broken)
}

#[cfg(test)]
mod tests;
