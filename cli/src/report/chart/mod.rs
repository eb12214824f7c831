//! Charts of a report, as SVG that stands in a page or in a file of its own.

pub mod cascade;
pub mod portability;
pub mod roofline;
pub mod times;

use std::fmt::Write;

/// A text as it stands in HTML and SVG.
pub fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out += "&amp;",
            '<' => out += "&lt;",
            '>' => out += "&gt;",
            '"' => out += "&quot;",
            '\'' => out += "&#39;",
            // XML has no other control characters.
            c if c.is_control() && !matches!(c, '\n' | '\t') => out.push(' '),
            c => out.push(c),
        }
    }
    out
}

/// A text cut to so many characters.
pub fn cut(text: &str, most: usize) -> String {
    match text.chars().count() > most {
        true => text.chars().take(most - 1).chain(['\u{2026}']).collect(),
        false => text.into(),
    }
}

/// The colours of series on a light page. They are attributes of shapes, for viewers that know no CSS.
const COLOURS: [&str; 9] =
    ["#0969da", "#bc4c00", "#1a7f37", "#8250df", "#bf3989", "#9a6700", "#1b7c83", "#cf222e", "#57606a"];

/// The colours on a dark page, which take the place of the attributes.
pub const STYLE: &str = "
@media (prefers-color-scheme: dark) {
.back { fill: #0d1117 } svg text { fill: #f0f6fc } .axis { stroke: #3d444d } .roof { stroke: #f0f6fc }
.mark.c0 { fill: #58a6ff } .mark.c1 { fill: #f0883e } .mark.c2 { fill: #56d364 } .mark.c3 { fill: #bc8cff }
.mark.c4 { fill: #ff7bb5 } .mark.c5 { fill: #e3b341 } .mark.c6 { fill: #56d4dd } .mark.c7 { fill: #ff7b72 }
.mark.c8 { fill: #9198a1 }
.line.c0, .range.c0 { stroke: #58a6ff } .line.c1, .range.c1 { stroke: #f0883e } .line.c2, .range.c2 { stroke: #56d364 }
.line.c3, .range.c3 { stroke: #bc8cff } .line.c4, .range.c4 { stroke: #ff7bb5 } .line.c5, .range.c5 { stroke: #e3b341 }
.line.c6, .range.c6 { stroke: #56d4dd } .line.c7, .range.c7 { stroke: #ff7b72 } .line.c8, .range.c8 { stroke: #9198a1 }
}
";

/// What texts inherit.
const TEXT: &str = "fill=\"#1f2328\" font-family=\"sans-serif\" font-size=\"12\"";

/// The attributes of a line or mark of these classes.
fn look(classes: &str) -> String {
    let series = classes.split(' ').find_map(|class| class.strip_prefix('c')?.parse::<usize>().ok());
    let colour = series.map_or("#1f2328", |nth| COLOURS[nth % COLOURS.len()]);
    match classes.split(' ').next() {
        Some("mark") => format!("fill=\"{colour}\""),
        Some("axis") => "fill=\"none\" stroke=\"#d1d9e0\" stroke-width=\"1\"".into(),
        Some("line") if classes.contains("dashed") => {
            format!("fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.5\" stroke-dasharray=\"4 3\"")
        }
        Some("line") => format!("fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\""),
        _ => format!("fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.5\""),
    }
}

/// The colour of a series.
pub fn colour(nth: usize) -> String {
    format!("c{}", nth % COLOURS.len())
}

/// A picture under construction.
pub struct Svg {
    width: f64,
    height: f64,
    body: String,
}

impl Svg {
    pub fn new(width: f64, height: f64) -> Svg {
        Svg { width, height, body: String::new() }
    }

    pub fn text(&mut self, [x, y]: [f64; 2], anchor: &str, text: &str) {
        let _ =
            writeln!(self.body, "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\">{}</text>", escaped(text));
    }

    pub fn head(&mut self, text: &str) {
        let _ = writeln!(
            self.body,
            "<text x=\"8\" y=\"20\" font-size=\"14\" font-weight=\"bold\">{}</text>",
            escaped(text)
        );
    }

    pub fn line(&mut self, class: &str, [x1, y1]: [f64; 2], [x2, y2]: [f64; 2]) {
        let _ = writeln!(
            self.body,
            "<line class=\"{class}\" {} x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\"/>",
            look(class)
        );
    }

    pub fn path(&mut self, class: &str, points: &[[f64; 2]]) {
        let points: Vec<String> = points.iter().map(|[x, y]| format!("{x:.1},{y:.1}")).collect();
        let (look, points) = (look(class), points.join(" "));
        let _ = writeln!(self.body, "<polyline class=\"{class}\" {look} points=\"{points}\"/>");
    }

    /// A rectangle; its title is shown where the mouse rests.
    pub fn bar(&mut self, class: &str, [x, y]: [f64; 2], [width, height]: [f64; 2], title: &str) {
        let _ = writeln!(
            self.body,
            "<rect class=\"mark {class}\" {} x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\">\
             <title>{}</title></rect>",
            look(&format!("mark {class}")),
            escaped(title)
        );
    }

    pub fn dot(&mut self, class: &str, [x, y]: [f64; 2], radius: f64, title: &str) {
        let _ = writeln!(
            self.body,
            "<circle class=\"mark {class}\" {} cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{radius}\"><title>{}</title></circle>",
            look(&format!("mark {class}")),
            escaped(title)
        );
    }

    /// For a page that has [`STYLE`].
    pub fn inline(&self, label: &str) -> String {
        format!(
            "<svg viewBox=\"0 0 {} {}\" width=\"{0}\" {TEXT} role=\"img\" aria-label=\"{}\">\n{}</svg>\n",
            self.width,
            self.height,
            escaped(label),
            self.body
        )
    }

    /// As a file, on a background of its own.
    pub fn file(&self, title: &str) -> String {
        let (width, height) = (self.width, self.height);
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" {TEXT} role=\"img\">\n\
             <title>{}</title>\n<style>{STYLE}</style>\n\
             <rect class=\"back\" fill=\"#ffffff\" width=\"{width}\" height=\"{height}\"/>\n{}</svg>\n",
            escaped(title),
            self.body
        )
    }
}

/// The place of a value on a logarithmic axis.
pub fn logarithmic(value: f64, [low, high]: [f64; 2], [from, to]: [f64; 2]) -> f64 {
    let share = (value / low).ln() / (high / low).ln();
    from + share.clamp(0.0, 1.0) * (to - from)
}

/// The powers of ten that hold all values; 1 to 10 without any.
pub fn decades(values: impl Iterator<Item = f64>) -> [f64; 2] {
    let ends = values.filter(|value| value.is_finite() && *value > 0.0);
    let [low, high] = ends.fold([f64::INFINITY, 0.0f64], |[low, high], value| [low.min(value), high.max(value)]);
    if low > high {
        return [1.0, 10.0];
    }
    let low = low.log10().floor();
    [10f64.powf(low), 10f64.powf(high.log10().ceil().max(low + 1.0))]
}

/// The powers of ten from one end to the other.
pub fn ticks([low, high]: [f64; 2]) -> Vec<f64> {
    let exponents = low.log10().round() as i32..=high.log10().round() as i32;
    exponents.map(|exponent| 10f64.powi(exponent)).collect()
}
