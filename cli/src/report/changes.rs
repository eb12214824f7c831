//! What differs between two reports: `--compare`.

use super::model::{Measured, Report};

/// The least ratio of two medians that counts as a change.
const LEAST: f64 = 1.05;

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Change {
    Slower,
    Faster,
    /// Within the spread of one of the reports.
    Same,
    /// It was right, and failed.
    Broken,
    Mended,
    /// In one report only, failed in both, or of two sizes.
    Incomparable,
}

/// A row of two reports.
pub struct Changed {
    pub problem: String,
    pub platform: String,
    /// New time by old time, of the medians.
    pub ratio: Option<f64>,
    pub change: Change,
}

/// Every row of both. A time has changed if the medians' ratio is 1.05 at least and the spreads do not meet: the lower quartile of
/// the slower is above the 95th percentile of the faster.
pub fn changes(old: &Report, new: &Report) -> Vec<Changed> {
    let missing = old.rows.iter().filter(|row| new.row(&row.problem(), &row.platform).is_none());
    let rows = new.rows.iter().chain(missing);
    rows.map(|row| {
        let (problem, platform) = (row.problem(), row.platform.clone());
        let (ratio, change) = compared(old, new, &problem, &platform);
        Changed { problem, platform, ratio, change }
    })
    .collect()
}

fn compared(old: &Report, new: &Report, problem: &str, platform: &str) -> (Option<f64>, Change) {
    let (Some(old), Some(new)) = (old.row(problem, platform), new.row(problem, platform)) else {
        return (None, Change::Incomparable);
    };
    let (before, after) = match (old.spread(), new.spread()) {
        (Some(before), Some(after)) if old.n == new.n => (before, after),
        (Some(_), None) => return (None, Change::Broken),
        (None, Some(_)) => return (None, Change::Mended),
        _ => return (None, Change::Incomparable),
    };
    // Times of two clocks are not compared.
    let clocks = [old, new].map(|row| matches!(row.result, Measured::Right { device: Some(_), .. }));
    if clocks[0] != clocks[1] {
        return (None, Change::Incomparable);
    }
    let ratio = after.median / before.median;
    let change = match ratio {
        ratio if ratio >= LEAST && after.lower_quartile > before.p95 => Change::Slower,
        ratio if ratio <= 1.0 / LEAST && before.lower_quartile > after.p95 => Change::Faster,
        _ => Change::Same,
    };
    (Some(ratio), change)
}
