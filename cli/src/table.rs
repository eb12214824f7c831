//! Tables for people.

use super::measure::Measured;
use comfy_table::{CellAlignment, ContentArrangement, Table, presets};
use console::Term;

/// A table whose first line is its header, as wide as the terminal.
pub fn boxed(lines: &[Vec<String>]) -> String {
    let mut table = Table::new();
    table.load_preset(presets::UTF8_FULL_CONDENSED).set_content_arrangement(ContentArrangement::Dynamic);
    if let Some((_, columns)) = Term::stdout().size_checked() {
        table.set_width(columns);
    }
    let Some((header, rest)) = lines.split_first() else { return String::new() };
    table.set_header(header).add_rows(rest);
    table.to_string()
}

/// The benchmark's table. It is Markdown, to be pasted.
pub fn measured(rows: &[Measured]) -> String {
    let header = ["op", "n", "value", "unit", "% of copy", "median", "min", "clock", "check"];
    let mut table = Table::new();
    table.load_preset(presets::ASCII_MARKDOWN).set_header(header);
    for row in rows {
        table.add_row([
            row.op.to_string(),
            row.n.to_string(),
            significant(row.value),
            row.unit.to_string(),
            row.percent_of_copy.map_or("-".into(), |percent| format!("{percent:.1}")),
            time(row.median_s),
            time(row.min_s),
            row.clock.to_string(),
            "ok".to_string(), // a wrong result ends the run
        ]);
    }
    for column in [1, 2, 4, 5, 6] {
        table.column_mut(column).expect("there are nine columns").set_cell_alignment(CellAlignment::Right);
    }
    table.to_string()
}

/// Rows of several engines side by side, and how much better each is than the one before it. Markdown too.
pub fn compared(rows: &[Measured], engines: &[&str]) -> String {
    let ratios = engines.windows(2).map(|pair| format!("{} : {}", pair[1], pair[0]));
    let header = ["op", "n", "unit"].into_iter().chain(engines.iter().copied()).map(String::from).chain(ratios);
    let mut table = Table::new();
    table.load_preset(presets::ASCII_MARKDOWN).set_header(header);
    let mut seen: Vec<(&str, usize)> = Vec::new();
    for row in rows {
        if seen.contains(&(row.op, row.n)) {
            continue;
        }
        seen.push((row.op, row.n));
        let on =
            |engine: &&str| rows.iter().find(|other| other.op == row.op && other.n == row.n && other.engine == *engine);
        let there: Vec<Option<&Measured>> = engines.iter().map(on).collect();
        let values = there.iter().map(|cell| cell.map_or("-".into(), |cell| significant(cell.value)));
        let ratios = there.windows(2).map(|pair| match (pair[0], pair[1]) {
            (Some(before), Some(after)) => format!("{:.2}", before.median_s / after.median_s),
            _ => "-".into(),
        });
        table.add_row([row.op.into(), row.n.to_string(), row.unit.into()].into_iter().chain(values).chain(ratios));
    }
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    let note = "A ratio above 1: the engine named first is faster.";
    format!("{table}\n\n{note}")
}

/// Four significant digits.
pub fn significant(value: f64) -> String {
    let digits = if value > 0.0 { 3 - value.log10().floor() as i64 } else { 0 };
    format!("{value:.0$}", digits.clamp(0, 6) as usize)
}

/// A time in a unit that suits it.
pub fn time(seconds: f64) -> String {
    scaled(seconds, "s")
}

/// An energy.
pub fn energy(joules: f64) -> String {
    scaled(joules, "J")
}

/// In the unit, or its thousandth or millionth part.
fn scaled(value: f64, unit: &str) -> String {
    match value {
        x if x >= 1.0 => format!("{} {unit}", significant(x)),
        x if x >= 1e-3 => format!("{} m{unit}", significant(x * 1e3)),
        x => format!("{} u{unit}", significant(x * 1e6)),
    }
}
