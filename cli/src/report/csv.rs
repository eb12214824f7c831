//! The report as p3-analysis reads it: a line for each problem and platform.

use super::efficiency::{Against, efficiency};
use super::model::Report;

/// The application's name.
const APPLICATION: &str = "crosslane";

/// A field; in quotes where it must be.
fn field(text: &str) -> String {
    match text.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text.into(),
    }
}

/// Columns `problem`, `application`, `platform`, `fom` (seconds: less is better; empty where the row failed), and efficiencies as
/// p3-analysis calls them: `arch eff` of the roofline and `app eff` of the best engine.
pub fn csv(report: &Report) -> String {
    let line = |row: &super::model::Row| {
        let fom = row.spread().map_or(String::new(), |spread| format!("{:e}", spread.median));
        let [arch, app] = Against::ALL.map(|against| efficiency(report, row, against));
        format!("{},{APPLICATION},{},{fom},{arch:.6},{app:.6}\n", field(&row.problem()), field(&row.platform))
    };
    let lines: String = report.rows.iter().map(line).collect();
    format!("problem,application,platform,fom,arch eff,app eff\n{lines}")
}
