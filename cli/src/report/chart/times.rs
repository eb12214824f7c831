//! How the host's times of each problem are spread on a platform, waits included.

use super::super::super::table::time;
use super::super::model::{Measured, Platform, Report, Spread};
use super::{Svg, cut, decades, logarithmic, ticks};

const WIDTH: f64 = 860.0;
const X: [f64; 2] = [250.0, 780.0];
const TOP: f64 = 50.0;
const ROW: f64 = 16.0;

pub fn times(report: &Report, platform: &Platform) -> Svg {
    let rows: Vec<(String, Spread)> = report
        .rows
        .iter()
        .filter(|row| row.platform == platform.name)
        .filter_map(|row| match &row.result {
            Measured::Right { host, .. } => Some((row.problem(), *host)),
            Measured::Failed { .. } => None,
        })
        .collect();
    let range = decades(rows.iter().flat_map(|(_, spread)| [spread.min, spread.p95]));
    let bottom = TOP + ROW * rows.len() as f64;
    let mut svg = Svg::new(WIDTH, bottom + 12.0);
    svg.head(&format!("{}: shortest to 95th percentile, quartiles, median", platform.name));
    let x = |seconds: f64| logarithmic(seconds, range, X);
    for tick in ticks(range) {
        svg.line("axis", [x(tick), TOP - 4.0], [x(tick), bottom]);
        svg.text([x(tick), TOP - 9.0], "middle", &time(tick));
    }
    for (nth, (problem, spread)) in rows.iter().enumerate() {
        let y = TOP + ROW * (nth as f64 + 0.5);
        svg.text([X[0] - 8.0, y + 4.0], "end", &cut(problem, 38));
        svg.line("range c0", [x(spread.min), y], [x(spread.p95), y]);
        let [from, to] = [x(spread.lower_quartile), x(spread.upper_quartile)];
        let title = format!(
            "{problem}: {} to {}, median {} of {} runs",
            time(spread.min),
            time(spread.p95),
            time(spread.median),
            spread.runs
        );
        svg.bar("c0", [from, y - 4.0], [(to - from).max(2.0), 8.0], &title);
        svg.line("range c1", [x(spread.median), y - 6.0], [x(spread.median), y + 6.0]);
    }
    svg
}
