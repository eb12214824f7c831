//! The roofline of a platform, and the problems under it.

use super::super::model::{Platform, Report};
use super::{Svg, colour, decades, logarithmic, ticks};

const WIDTH: f64 = 420.0;
const HEIGHT: f64 = 300.0;
const X: [f64; 2] = [56.0, 404.0];
const Y: [f64; 2] = [258.0, 36.0];
/// Operations a byte, from end to end.
const INTENSITY: [f64; 2] = [0.01, 1000.0];

pub fn roofline(report: &Report, platform: &Platform) -> Svg {
    let rows = report.rows.iter().filter(|row| row.platform == platform.name && row.flops > 0 && row.bytes > 0);
    let dots: Vec<(String, usize, f64, f64)> = rows
        .filter_map(|row| {
            let suite = report.suites().iter().position(|suite| *suite == row.suite)?;
            let intensity = row.flops as f64 / row.bytes as f64;
            Some((row.problem(), suite, intensity, row.flops as f64 / row.spread()?.median * 1e-9))
        })
        .collect();
    let peak = platform.flops_per_second * 1e-9;
    let memory = platform.bytes_per_second * 1e-9;
    let rates = decades(dots.iter().map(|dot| dot.3).chain([peak, memory * INTENSITY[0]]));
    let place = |intensity: f64, rate: f64| [logarithmic(intensity, INTENSITY, X), logarithmic(rate, rates, Y)];
    let mut svg = Svg::new(WIDTH, HEIGHT);
    svg.head(&platform.name);
    for tick in ticks(rates) {
        let [_, y] = place(1.0, tick);
        svg.line("axis", [X[0], y], [X[1], y]);
        svg.text([X[0] - 6.0, y + 4.0], "end", &format!("{tick}"));
    }
    for tick in ticks(INTENSITY) {
        let [x, _] = place(tick, 1.0);
        svg.line("axis", [x, Y[0]], [x, Y[1]]);
        svg.text([x, Y[0] + 15.0], "middle", &format!("{tick}"));
    }
    svg.text([(X[0] + X[1]) / 2.0, HEIGHT - 8.0], "middle", "flops a byte; upwards GFLOP/s");
    if peak > 0.0 && memory > 0.0 {
        let edge = (peak / memory).clamp(INTENSITY[0], INTENSITY[1]);
        let roof = |intensity: f64| place(intensity, (memory * intensity).min(peak));
        svg.path("roof", &[roof(INTENSITY[0]), roof(edge), roof(INTENSITY[1])]);
    }
    for (problem, suite, intensity, rate) in dots {
        let title = format!("{problem}: {rate:.3} GFLOP/s, {intensity:.2} flops a byte");
        svg.dot(&colour(suite), place(intensity, rate), 3.5, &title);
    }
    svg
}
