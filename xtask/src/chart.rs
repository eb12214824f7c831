//! The chart of ratios: a bar for each operation and engine, to the right of 1 where crosslane is faster.

use crate::results::{Row, best};

const WIDTH: f64 = 900.0;
/// Where names end and bars begin.
const LEFT: f64 = 250.0;
const RIGHT: f64 = WIDTH - 50.0;
const TOP: f64 = 96.0;
/// Height of an operation, and of a bar.
const ROW: f64 = 21.0;
const BAR: f64 = 8.0;
/// The axis: both ends, and its lines. By logarithms, since ratios of 1/2 and 2 are as far from 1.
const RANGE: [f64; 2] = [0.25, 32.0];
const LINES: [f64; 8] = [0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0];
/// Operations of which each size is another question; of the others the largest is shown.
const EACH_SIZE: [&str; 1] = ["launch_sync_empty"];

/// Colours on a background of the picture's own, for a light and a dark page.
const STYLE: &str = "
  .back { fill: #ffffff } text { fill: #1f2328; font: 12px sans-serif } .title { font-size: 16px; font-weight: bold }
  .line { stroke: #d1d9e0 } .one { stroke: #1f2328; stroke-width: 1.5 } .vulkan { fill: #b3412c } .cuda { fill: #3b7d23 }
  .value { font-size: 9px }
  @media (prefers-color-scheme: dark) {
    .back { fill: #0d1117 } text { fill: #f0f6fc } .line { stroke: #3d444d } .one { stroke: #f0f6fc }
    .vulkan { fill: #f0806a } .cuda { fill: #7fc65f }
  }
";

fn x(ratio: f64) -> f64 {
    let [low, high] = RANGE.map(f64::ln);
    LEFT + (ratio.ln() - low) / (high - low) * (RIGHT - LEFT)
}

fn bar(class: &str, y: f64, ratio: f64) -> String {
    let (one, end) = (x(1.0), x(ratio));
    // A ratio of 1 shows too.
    let (from, width) = (one.min(end), (end - one).abs().max(1.5));
    let (text, anchor) = if ratio < 1.0 { (from - 3.0, "end") } else { (from + width + 3.0, "start") };
    format!(
        "<rect class=\"{class}\" x=\"{from:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{BAR}\"/>\n\
         <text class=\"value\" x=\"{text:.1}\" y=\"{:.1}\" text-anchor=\"{anchor}\">{ratio}</text>\n",
        y + BAR - 0.5
    )
}

/// Operations with their sizes, in the order of the figures.
fn shown(rows: &[Row]) -> Vec<(&str, u64)> {
    let mut shown: Vec<(&str, u64)> = vec![];
    for row in rows.iter().filter(|row| row.ratio.is_some()) {
        match shown.iter_mut().find(|(op, n)| *op == row.op && (*n == row.n || !EACH_SIZE.contains(op))) {
            Some((_, n)) => *n = row.n.max(*n),
            None => shown.push((&row.op, row.n)),
        }
    }
    shown
}

pub fn svg(rows: &[Row]) -> String {
    let shown = shown(rows);
    let bottom = TOP + ROW * shown.len() as f64;
    let height = bottom + 20.0;
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" width=\"{WIDTH}\" role=\"img\">\n\
         <title>crosslane beside CUDA, CUB, cuBLAS, PyTorch and Numba on one NVIDIA H200</title>\n\
         <style>{STYLE}</style>\n<rect class=\"back\" width=\"{WIDTH}\" height=\"{height}\"/>\n\
         <text class=\"title\" x=\"16\" y=\"26\">crosslane's speed over the fastest peer's, same run, one NVIDIA H200</text>\n\
         <text x=\"16\" y=\"46\">Right of 1: crosslane is faster. The axis is logarithmic. Peers and dates: benches/RESULTS.md</text>\n\
         <rect class=\"vulkan\" x=\"16\" y=\"57\" width=\"10\" height=\"10\"/><text x=\"31\" y=\"66\">WGSL through Vulkan</text>\n\
         <rect class=\"cuda\" x=\"176\" y=\"57\" width=\"10\" height=\"10\"/>\
         <text x=\"191\" y=\"66\">CUDA: the fastest of WGSL translated, written by hand, cuBLASLt</text>\n"
    );
    for ratio in LINES {
        let (class, x) = (if ratio == 1.0 { "one" } else { "line" }, x(ratio));
        text += &format!("<line class=\"{class}\" x1=\"{x:.1}\" x2=\"{x:.1}\" y1=\"{TOP}\" y2=\"{bottom}\"/>\n");
        text += &format!("<text x=\"{x:.1}\" y=\"{}\" text-anchor=\"middle\">{ratio}</text>\n", TOP - 6.0);
    }
    for (place, (op, n)) in shown.into_iter().enumerate() {
        let y = TOP + ROW * place as f64 + 2.0;
        let name = if EACH_SIZE.contains(&op) { format!("{op}, {n}") } else { op.to_string() };
        text += &format!("<text x=\"{}\" y=\"{}\" text-anchor=\"end\">{name}</text>\n", LEFT - 12.0, y + BAR + 4.0);
        for (engine, at) in [("vulkan", y), ("cuda", y + BAR)] {
            if let Some(ratio) = best(rows, op, n, engine).and_then(|row| row.ratio) {
                text += &bar(engine, at, ratio);
            }
        }
    }
    text + "</svg>\n"
}
