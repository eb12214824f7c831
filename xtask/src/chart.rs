//! The chart of ratios: a bar for each operation and engine, to the right of 1 where crosslane is faster.

use crate::results::{Row, best};

const WIDTH: f64 = 900.0;
/// What a character of a name takes at most: DejaVu's are the widest of the usual sans-serif faces.
const LETTER: f64 = 7.4;
/// Room for the figure of a bar that ends at the axis's end, and for the mark that says that the bar does not.
const FIGURE: f64 = 40.0;
const RIGHT: f64 = WIDTH - FIGURE - 8.0;
const TOP: f64 = 96.0;
/// Height of an operation, and of a bar.
const ROW: f64 = 21.0;
const BAR: f64 = 8.0;
/// The axis: both ends, and its lines. By logarithms, since ratios of 1/2 and 2 are as far from 1.
const RANGE: [f64; 2] = [0.25, 32.0];
const LINES: [f64; 8] = [0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0];
/// Operations of which each size is another question; of the others the largest is shown.
const EACH_SIZE: [&str; 1] = ["launch_sync_empty"];

/// Colours on a dark page. On a light one they are attributes, for viewers that know no CSS.
const STYLE: &str = "
  @media (prefers-color-scheme: dark) {
    .back { fill: #0d1117 } text { fill: #f0f6fc } .line { stroke: #3d444d } .one { stroke: #f0f6fc }
    .vulkan { fill: #f0806a } .cuda { fill: #7fc65f }
  }
";
const INK: &str = "#1f2328";

/// The bars' colours on a light page.
fn colour(engine: &str) -> &'static str {
    if engine == "vulkan" { "#b3412c" } else { "#3b7d23" }
}

/// The place of a ratio, of one past the axis that of its end.
fn x(ratio: f64, left: f64) -> f64 {
    let [low, high] = RANGE.map(f64::ln);
    left + ((ratio.ln() - low) / (high - low)).clamp(0.0, 1.0) * (RIGHT - left)
}

fn bar(class: &str, y: f64, ratio: f64, left: f64) -> String {
    let (one, end) = (x(1.0, left), x(ratio, left));
    // A ratio of 1 shows too.
    let (from, width) = (one.min(end), (end - one).abs().max(1.5));
    let (text, anchor) = if ratio < 1.0 { (from - 3.0, "end") } else { (from + width + 3.0, "start") };
    let figure = match ratio {
        ratio if ratio > RANGE[1] => format!("\u{bb} {ratio}"),
        ratio if ratio < RANGE[0] => format!("{ratio} \u{ab}"),
        ratio => ratio.to_string(),
    };
    let colour = colour(class);
    format!(
        "<rect class=\"{class}\" fill=\"{colour}\" x=\"{from:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{BAR}\"/>\n\
         <text x=\"{text:.1}\" y=\"{:.1}\" text-anchor=\"{anchor}\" font-size=\"9\">{figure}</text>\n",
        y + BAR - 0.5
    )
}

/// An operation's name; where each size is another question, with its size.
fn name(op: &str, n: u64) -> String {
    if EACH_SIZE.contains(&op) { format!("{op}, {n}") } else { op.to_string() }
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
    let longest = shown.iter().map(|(op, n)| name(op, *n).len()).max().unwrap_or(0);
    let names = 8.0 + LETTER * longest as f64;
    let left = names + FIGURE;
    let [vulkan, cuda] = ["vulkan", "cuda"].map(colour);
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" width=\"{WIDTH}\" fill=\"{INK}\" \
         font-family=\"sans-serif\" font-size=\"12\" role=\"img\">\n\
         <title>crosslane beside CUDA, CUB, cuBLAS, PyTorch and Numba on one NVIDIA H200</title>\n\
         <style>{STYLE}</style>\n<rect class=\"back\" fill=\"#ffffff\" width=\"{WIDTH}\" height=\"{height}\"/>\n\
         <text x=\"16\" y=\"26\" font-size=\"16\" font-weight=\"bold\">crosslane's speed over the fastest peer's, same run, one NVIDIA H200</text>\n\
         <text x=\"16\" y=\"46\">Right of 1: crosslane is faster. The axis is logarithmic; \u{bb} is a bar that goes on. Peers and dates: benches/RESULTS.md</text>\n\
         <rect class=\"vulkan\" fill=\"{vulkan}\" x=\"16\" y=\"57\" width=\"10\" height=\"10\"/><text x=\"31\" y=\"66\">WGSL through Vulkan</text>\n\
         <rect class=\"cuda\" fill=\"{cuda}\" x=\"176\" y=\"57\" width=\"10\" height=\"10\"/>\
         <text x=\"191\" y=\"66\">CUDA: the fastest of WGSL translated, written by hand, cuBLASLt, cuDNN</text>\n"
    );
    for ratio in LINES {
        let (class, stroke) = if ratio == 1.0 { ("one", INK) } else { ("line", "#d1d9e0") };
        let (x, width) = (x(ratio, left), if ratio == 1.0 { 1.5 } else { 1.0 });
        text += &format!(
            "<line class=\"{class}\" stroke=\"{stroke}\" stroke-width=\"{width}\" x1=\"{x:.1}\" x2=\"{x:.1}\" y1=\"{TOP}\" y2=\"{bottom}\"/>\n"
        );
        text += &format!("<text x=\"{x:.1}\" y=\"{}\" text-anchor=\"middle\">{ratio}</text>\n", TOP - 6.0);
    }
    for (place, (op, n)) in shown.into_iter().enumerate() {
        let y = TOP + ROW * place as f64 + 2.0;
        text += &format!("<text x=\"{names:.1}\" y=\"{}\" text-anchor=\"end\">{}</text>\n", y + BAR + 4.0, name(op, n));
        for (engine, at) in [("vulkan", y), ("cuda", y + BAR)] {
            if let Some(ratio) = best(rows, op, n, engine).and_then(|row| row.ratio) {
                text += &bar(engine, at, ratio, left);
            }
        }
    }
    text + "</svg>\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A character of a figure.
    const DIGIT: f64 = 5.8;

    fn row(op: &str, engine: &str, ratio: f64) -> Row {
        let [op, engine, unit, date, commit] = [op, engine, "us", "", ""].map(String::from);
        Row { op, n: 1, engine, value: 1.0, unit, peer: None, peer_value: None, ratio: Some(ratio), date, commit }
    }

    /// The value of an attribute on a line.
    fn number(line: &str, name: &str) -> f64 {
        let rest = line.split_once(&format!(" {name}=\"")).expect(line).1;
        rest.split_once('"').expect("it ends").0.parse().expect("a number")
    }

    /// The first and last place of a text, as wide as it may be.
    fn extent(line: &str) -> [f64; 2] {
        let content = line.split_once('>').expect("a text").1.split_once('<').expect("it ends").0;
        let letter = if line.contains("font-size=\"9\"") { DIGIT } else { LETTER };
        let (x, width) = (number(line, "x"), letter * content.chars().count() as f64);
        let share = if line.contains("\"end\"") {
            1.0
        } else if line.contains("\"middle\"") {
            0.5
        } else {
            0.0
        };
        [x - share * width, x + (1.0 - share) * width]
    }

    #[test]
    fn bars_past_the_axis_end_at_it_with_their_figures() {
        let far = [row("conv2d_15x15_1ch_f32", "vulkan", 247.0), row("seed_matmul_256x512x256_checked", "cuda", 0.01)];
        let text = svg(&far);
        for figure in ["\u{bb} 247<", "0.01 \u{ab}<"] {
            let line = text.lines().find(|line| line.contains(figure)).expect(figure);
            let [from, to] = extent(line);
            assert!(from > 0.0 && to <= WIDTH, "{line}");
        }
        let names = text.lines().filter(|line| line.contains("seed_matmul")).map(|line| extent(line)[1]);
        let figure = text.lines().find(|line| line.contains("0.01")).map(|line| extent(line)[0]);
        assert!(names.fold(0.0, f64::max) <= figure.expect("it is there"), "a name runs into a figure");
        for line in text.lines().filter(|line| line.starts_with("<rect class=\"vulkan\"")) {
            assert!(number(line, "x") + number(line, "width") <= RIGHT + 0.1, "{line}");
        }
    }

    #[test]
    fn every_shape_has_a_colour_without_css() {
        let text = svg(&[row("copy_f32", "vulkan", 1.0)]);
        let without = text.lines().find(|line| line.starts_with("<rect") && !line.contains("fill="));
        assert_eq!(without, None);
        let without = text.lines().find(|line| line.starts_with("<line") && !line.contains("stroke="));
        assert_eq!(without, None);
    }
}
