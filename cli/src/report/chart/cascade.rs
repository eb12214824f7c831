//! The cascade plot of Sewall and Pennycook: a suite's efficiencies from the best platform to the worst, and its performance
//! portability as platforms are added in that order. Under it stands which platform is where.

use super::super::efficiency::{Against, of_suite, portability};
use super::super::model::Report;
use super::{Svg, colour, cut};

const WIDTH: f64 = 880.0;
const LEFT: f64 = 48.0;
const RIGHT: f64 = 560.0;
const TOP: f64 = 36.0;
const BOTTOM: f64 = 300.0;
/// Where the order of platforms begins.
const BELOW: f64 = 346.0;
const ROW: f64 = 18.0;

pub fn cascade(report: &Report, against: Against) -> Svg {
    let suites = report.suites();
    let lines = suites.len().max(report.platforms.len());
    let mut svg = Svg::new(WIDTH, BELOW + ROW * lines as f64 + 8.0);
    svg.head(&format!("Efficiency of each suite, {}", against.name()));
    for tenth in [0, 2, 4, 6, 8, 10] {
        let y = height(f64::from(tenth) / 10.0);
        svg.line("axis", [LEFT, y], [RIGHT, y]);
        svg.text([LEFT - 8.0, y + 4.0], "end", &format!("{:.1}", f64::from(tenth) / 10.0));
    }
    let count = report.platforms.len();
    let x = |nth: usize| match count {
        0 | 1 => (LEFT + RIGHT) / 2.0,
        _ => LEFT + 24.0 + (RIGHT - LEFT - 48.0) * nth as f64 / (count - 1) as f64,
    };
    svg.text([(LEFT + RIGHT) / 2.0, BOTTOM + 18.0], "middle", "the platforms of each suite, the best first");
    for (nth, platform) in report.platforms.iter().enumerate() {
        let y = BELOW + ROW * nth as f64;
        svg.text([RIGHT + 28.0, y], "start", &format!("{}  {}", letter(nth), cut(&platform.name, 36)));
    }
    for (nth, line) in ["suite: PP over all platforms", "(dashed: over the platforms so far)"].into_iter().enumerate() {
        svg.text([RIGHT + 44.0, TOP + ROW * nth as f64], "start", line);
    }
    for (nth, suite) in suites.iter().enumerate() {
        let class = colour(nth);
        let ordered = ordered(report, suite, against);
        let so_far = |last: usize| portability(ordered[..=last].iter().map(|(_, efficiency)| *efficiency));
        let points: Vec<[f64; 2]> = (0..count).map(|at| [x(at), height(ordered[at].1)]).collect();
        let together: Vec<[f64; 2]> = (0..count).map(|at| [x(at), height(so_far(at))]).collect();
        svg.path(&format!("line {class}"), &points);
        svg.path(&format!("line dashed {class}"), &together);
        let below = BELOW + ROW * nth as f64;
        svg.bar(&class, [LEFT - 14.0, below - 9.0], [10.0, 10.0], suite);
        for (at, &(platform, efficiency)) in ordered.iter().enumerate() {
            let name = &report.platforms[platform].name;
            svg.dot(&class, points[at], 4.0, &format!("{suite} on {name}: {efficiency:.3}"));
            svg.text([x(at), below], "middle", &letter(platform));
        }
        let y = TOP + ROW * (nth + 2) as f64;
        svg.bar(&class, [RIGHT + 28.0, y - 9.0], [10.0, 10.0], suite);
        let all = if count == 0 { 0.0 } else { so_far(count - 1) };
        svg.text([RIGHT + 44.0, y], "start", &format!("{}: {all:.2}", cut(suite, 28)));
    }
    svg
}

fn height(efficiency: f64) -> f64 {
    BOTTOM - efficiency.clamp(0.0, 1.0) * (BOTTOM - TOP)
}

/// A platform's letter; of more than 26 its number.
fn letter(platform: usize) -> String {
    match u8::try_from(platform) {
        Ok(nth) if nth < 26 => char::from(b'A' + nth).to_string(),
        _ => platform.to_string(),
    }
}

/// A suite's platforms, by their places in the report, and efficiencies, the best first.
fn ordered(report: &Report, suite: &str, against: Against) -> Vec<(usize, f64)> {
    let platforms = report.platforms.iter().enumerate();
    let mut all: Vec<(usize, f64)> =
        platforms.map(|(nth, platform)| (nth, of_suite(report, suite, &platform.name, against))).collect();
    all.sort_by(|a, b| b.1.total_cmp(&a.1));
    all
}
