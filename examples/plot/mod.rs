//! Lines and bars as an SVG file among the temporary files.
#![allow(dead_code, reason = "each example uses a part of it")]

use std::fmt::Write;
use std::path::PathBuf;

const WIDE: f64 = 640.0;
const HIGH: f64 = 400.0;
const COLOURS: [&str; 5] = ["#1f77b4", "#d62728", "#2ca02c", "#9467bd", "#7f7f7f"];

pub struct Plot {
    title: &'static str,
    /// Whether both axes are logarithmic.
    logarithmic: bool,
    lines: Vec<(String, Vec<(f64, f64)>)>,
    bars: Vec<(f64, f64)>,
}

impl Plot {
    pub fn new(title: &'static str) -> Plot {
        Plot { title, logarithmic: false, lines: vec![], bars: vec![] }
    }

    pub fn logarithmic(self) -> Plot {
        Plot { logarithmic: true, ..self }
    }

    pub fn line(mut self, label: impl Into<String>, points: impl IntoIterator<Item = (f64, f64)>) -> Plot {
        self.lines.push((label.into(), points.into_iter().collect()));
        self
    }

    pub fn bars(mut self, points: impl IntoIterator<Item = (f64, f64)>) -> Plot {
        self.bars = points.into_iter().collect();
        self
    }

    /// Writes the file, and says where.
    pub fn save(&self, name: &str) -> PathBuf {
        let path = std::env::temp_dir().join(name);
        std::fs::write(&path, self.svg()).expect("the folder for temporary files can be written to");
        println!("{}", path.display());
        path
    }

    fn scaled(&self, (x, y): (f64, f64)) -> (f64, f64) {
        if self.logarithmic { (x.log10(), y.max(1e-300).log10()) } else { (x, y) }
    }

    fn svg(&self) -> String {
        let all = self.lines.iter().flat_map(|(_, points)| points).chain(&self.bars).map(|&point| self.scaled(point));
        let ends = |values: &mut dyn Iterator<Item = f64>| {
            values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| (low.min(x), high.max(x)))
        };
        let (left, right) = ends(&mut all.clone().map(|point| point.0));
        let (mut low, high) = ends(&mut all.map(|point| point.1));
        if !self.bars.is_empty() {
            low = low.min(0.0);
        }
        let at = |point: (f64, f64)| {
            let (x, y) = self.scaled(point);
            (50.0 + (x - left) / (right - left) * (WIDE - 70.0), HIGH - 30.0 - (y - low) / (high - low) * (HIGH - 70.0))
        };
        let mut svg = format!(
            "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {WIDE} {HIGH}' font-family='sans-serif' font-size='12'>\n\
             <rect width='100%' height='100%' fill='white'/><text x='50' y='20' font-size='15'>{}</text>\n",
            self.title
        );
        let bar = (WIDE - 70.0) / self.bars.len().max(1) as f64;
        for &point in &self.bars {
            let ((x, y), base) = (at(point), at((point.0, 0.0)).1);
            writeln!(
                svg,
                "<rect x='{:.1}' y='{y:.1}' width='{bar:.1}' height='{:.1}' fill='#c6dbef'/>",
                x - bar / 2.0,
                base - y
            )
            .expect("to a string");
        }
        for (nth, (label, points)) in self.lines.iter().enumerate() {
            let colour = COLOURS[nth % COLOURS.len()];
            let points: Vec<String> = points.iter().map(|&p| at(p)).map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
            writeln!(svg, "<polyline fill='none' stroke='{colour}' points='{}'/>", points.join(" "))
                .expect("to a string");
            let y = 40 + 16 * nth;
            writeln!(svg, "<text x='{}' y='{y}' text-anchor='end' fill='{colour}'>{label}</text>", WIDE - 20.0)
                .expect("to a string");
        }
        let power = |x: f64| if self.logarithmic { format!("{:.3e}", 10f64.powf(x)) } else { format!("{x:.3}") };
        for (x, y, anchor, text) in [
            (50.0, HIGH - 10.0, "start", power(left)),
            (WIDE - 20.0, HIGH - 10.0, "end", power(right)),
            (46.0, HIGH - 30.0, "end", power(low)),
            (46.0, 46.0, "end", power(high)),
        ] {
            writeln!(svg, "<text x='{x}' y='{y}' text-anchor='{anchor}' font-size='10'>{text}</text>")
                .expect("to a string");
        }
        svg + "</svg>\n"
    }
}
