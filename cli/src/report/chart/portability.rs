//! Bars of performance portability: each problem over all platforms.

use super::super::efficiency::{Against, of_problem};
use super::super::model::Report;
use super::{Svg, cut};

const WIDTH: f64 = 860.0;
const LEFT: f64 = 250.0;
const RIGHT: f64 = 790.0;
const TOP: f64 = 64.0;
const ROW: f64 = 20.0;
const BAR: f64 = 7.0;

pub fn bars(report: &Report) -> Svg {
    let problems = report.problems();
    let bottom = TOP + ROW * problems.len() as f64;
    let mut svg = Svg::new(WIDTH, bottom + 12.0);
    svg.head("Performance portability over all platforms (harmonic mean; 0 where one fails)");
    for (nth, against) in Against::ALL.into_iter().enumerate() {
        let x = LEFT + 200.0 * nth as f64;
        svg.bar(&super::colour(nth), [x, 31.0], [10.0, 10.0], against.name());
        svg.text([x + 16.0, 40.0], "start", against.name());
    }
    for quarter in 0..=4 {
        let share = f64::from(quarter) / 4.0;
        let x = LEFT + share * (RIGHT - LEFT);
        svg.line("axis", [x, TOP - 4.0], [x, bottom]);
        svg.text([x, TOP - 8.0], "middle", &format!("{share}"));
    }
    for (row, problem) in problems.iter().enumerate() {
        let y = TOP + ROW * row as f64 + 2.0;
        svg.text([LEFT - 8.0, y + 11.0], "end", &cut(problem, 38));
        for (nth, against) in Against::ALL.into_iter().enumerate() {
            let pp = of_problem(report, problem, against);
            let title = format!("{problem}, {}: {pp:.3}", against.name());
            let at = [LEFT, y + (BAR + 1.0) * nth as f64];
            svg.bar(&super::colour(nth), at, [(pp * (RIGHT - LEFT)).max(1.0), BAR], &title);
            if nth == 0 {
                svg.text([RIGHT + 10.0, y + 11.0], "start", &format!("{pp:.2}"));
            }
        }
    }
    svg
}
