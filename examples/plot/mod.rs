//! Lines and bars as an SVG file among the temporary files. A PNG file of a chart needs a font: pictures without text are PNG files.
#![allow(dead_code, reason = "each example uses a part of it")]

use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use std::error::Error;
use std::ops::Range;
use std::path::PathBuf;

const SIZE: (u32, u32) = (640, 400);
const COLOURS: [RGBColor; 5] = [
    RGBColor(31, 119, 180),
    RGBColor(214, 39, 40),
    RGBColor(44, 160, 44),
    RGBColor(148, 103, 189),
    RGBColor(127, 127, 127),
];
const BARS: RGBColor = RGBColor(198, 219, 239);

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
        let mut svg = String::new();
        self.drawn(&mut svg).expect("a drawing in memory");
        std::fs::write(&path, svg).expect("the folder for temporary files can be written to");
        println!("{}", path.display());
        path
    }

    /// A logarithmic chart shows logarithms, but none of 0. Axes of a type of their own would compile all of it twice in each example.
    fn scaled(&self, points: &[(f64, f64)]) -> Vec<(f64, f64)> {
        let scaled = points.iter().map(|&(x, y)| if self.logarithmic { (x.log10(), y.log10()) } else { (x, y) });
        scaled.filter(|(x, y)| x.is_finite() && y.is_finite()).collect()
    }

    /// From the least to the largest of these.
    fn range(values: impl Iterator<Item = f64>) -> Range<f64> {
        values.fold(f64::INFINITY..f64::NEG_INFINITY, |ends, value| ends.start.min(value)..ends.end.max(value))
    }

    fn drawn(&self, svg: &mut String) -> Result<(), Box<dyn Error>> {
        let area = SVGBackend::with_string(svg, SIZE).into_drawing_area();
        area.fill(&WHITE)?;
        let lines: Vec<_> = self.lines.iter().map(|(label, points)| (label, self.scaled(points))).collect();
        let points = lines.iter().flat_map(|(_, points)| points).chain(&self.bars);
        let (x, mut y) = (Plot::range(points.clone().map(|point| point.0)), Plot::range(points.map(|point| point.1)));
        if !self.bars.is_empty() {
            y.start = y.start.min(0.0);
        }
        let mut chart = ChartBuilder::on(&area)
            .caption(self.title, ("sans-serif", 16))
            .margin(10)
            .margin_right(30)
            .x_label_area_size(30)
            .y_label_area_size(60)
            .build_cartesian_2d(x, y)?;
        let mut mesh = chart.configure_mesh();
        let power = |exponent: &f64| format!("{:.1e}", 10f64.powf(*exponent));
        if self.logarithmic {
            mesh.x_label_formatter(&power).y_label_formatter(&power);
        }
        mesh.light_line_style(TRANSPARENT).draw()?;
        let half = match self.bars[..] {
            [first, second, ..] => (second.0 - first.0) / 2.0,
            _ => 0.0,
        };
        let bar = |&(x, y): &(f64, f64)| Rectangle::new([(x - half, 0.0), (x + half, y)], BARS.filled());
        chart.draw_series(self.bars.iter().map(bar))?;
        for (nth, ((label, points), colour)) in lines.into_iter().zip(COLOURS.into_iter().cycle()).enumerate() {
            chart.draw_series(LineSeries::new(points, colour))?;
            let style = ("sans-serif", 14).into_font().color(&colour).pos(Pos::new(HPos::Right, VPos::Top));
            area.draw_text(label, &style, (SIZE.0 as i32 - 36, 40 + 18 * nth as i32))?;
        }
        Ok(area.present()?)
    }
}
