//! A trace as a table for people.

use super::{Roofline, Span, SpanKind, Trace};
use std::fmt;
use std::time::Duration;

/// What the spans of one name come to.
struct Line<'a> {
    name: &'a str,
    count: usize,
    total: Duration,
    min: Duration,
    max: Duration,
    bytes: u64,
    flops: Option<u64>,
}

impl<'a> Line<'a> {
    fn add(lines: &mut Vec<Line<'a>>, span: &'a Span, name: &'a str) {
        if let Some(line) = lines.iter_mut().find(|line| line.name == name) {
            line.count += 1;
            line.total += span.duration;
            line.min = line.min.min(span.duration);
            line.max = line.max.max(span.duration);
            line.bytes += span.bytes;
            line.flops = line.flops.zip(span.flops).map(|(a, b)| a + b);
            return;
        }
        let &Span { duration, bytes, flops, .. } = span;
        lines.push(Line { name, count: 1, total: duration, min: duration, max: duration, bytes, flops });
    }

    /// The time that the device's limits would take, as a part of the time it took.
    fn percent(&self, roofline: Roofline) -> f64 {
        let compute = self.flops.unwrap_or(0) as f64 / roofline.flops_per_second;
        let least = compute.max(self.bytes as f64 / roofline.bytes_per_second);
        100.0 * least / self.total.as_secs_f64()
    }

    fn cells(&self, roofline: Option<Roofline>) -> [String; 9] {
        let timed = !self.total.is_zero();
        let rate = |amount: u64| significant(amount as f64 / self.total.as_secs_f64() * 1e-9);
        let dash = || "-".to_string();
        let moves = timed && self.bytes > 0;
        [
            self.name.to_string(),
            self.count.to_string(),
            micros(self.total),
            micros(self.total / self.count as u32),
            micros(self.min),
            micros(self.max),
            if moves { rate(self.bytes) } else { dash() },
            self.flops.filter(|_| timed).map_or_else(dash, rate),
            roofline.filter(|_| moves).map_or_else(dash, |roofline| format!("{:.1}", self.percent(roofline))),
        ]
    }
}

/// Three digits that count, or all before the point.
fn significant(value: f64) -> String {
    let digits = if value >= 100.0 || value <= 0.0 { 1 } else { 2 - value.log10().floor().clamp(-3.0, 2.0) as i32 };
    format!("{value:.0$}", digits.max(1) as usize)
}

fn micros(time: Duration) -> String {
    format!("{:.2}", time.as_secs_f64() * 1e6)
}

/// Columns as wide as they must be: the first to the left, the others to the right.
fn write_columns(f: &mut fmt::Formatter<'_>, rows: &[Vec<String>]) -> fmt::Result {
    let count = rows.first().map_or(0, Vec::len);
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..count).map(width).collect();
    for row in rows {
        write!(f, "{:<1$}", row[0], widths[0])?;
        row[1..].iter().zip(&widths[1..]).try_for_each(|(cell, width)| write!(f, "  {cell:>width$}"))?;
        writeln!(f)?;
    }
    Ok(())
}

impl Trace {
    /// The lines of the launches, the longest first; or those of the rest, in the order of their kinds.
    fn lines(&self, launches: bool) -> Vec<Line<'_>> {
        let mut lines = Vec::new();
        if launches {
            self.of(SpanKind::Launch).for_each(|span| Line::add(&mut lines, span, &span.name));
            lines.sort_by_key(|line| std::cmp::Reverse(line.total));
            return lines;
        }
        for (kind, name) in [
            (SpanKind::Upload, "upload"),
            (SpanKind::Download, "download"),
            (SpanKind::Wait, "wait"),
            (SpanKind::Compile, "compile"),
        ] {
            self.of(kind).for_each(|span| Line::add(&mut lines, span, name));
        }
        lines
    }
}

impl fmt::Display for Trace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let clock = if self.device_clock { "device" } else { "host" };
        writeln!(f, "{}; launches by the {clock}'s clock", self.device)?;
        let head = ["kernel", "count", "total us", "mean us", "min us", "max us", "GB/s", "GFLOP/s", "% of roofline"];
        let mut rows = vec![head.map(String::from).to_vec()];
        rows.extend(self.lines(true).iter().map(|line| line.cells(self.roofline).to_vec()));
        write_columns(f, &rows)?;
        let head = ["host", "count", "total us", "mean us", "min us", "max us", "GB/s"];
        let mut rows = vec![head.map(String::from).to_vec()];
        rows.extend(self.lines(false).iter().map(|line| line.cells(None)[..7].to_vec()));
        if rows.len() > 1 {
            writeln!(f)?;
            write_columns(f, &rows)?;
        }
        let busy = self.device_busy().as_secs_f64() / self.total.as_secs_f64().max(1e-9);
        write!(f, "\ntotal {} us, device busy {:.1} %", micros(self.total), 100.0 * busy)?;
        match self.roofline {
            Some(Roofline { bytes_per_second: bytes, flops_per_second: flops }) => {
                write!(f, "; roofline {} GB/s, {} GFLOP/s", significant(bytes * 1e-9), significant(flops * 1e-9))
            }
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percent_is_of_the_nearer_limit() {
        let span = |bytes, flops| Span {
            kind: SpanKind::Launch,
            name: "k".into(),
            start: Duration::ZERO,
            duration: Duration::from_micros(1),
            bytes,
            flops,
            launches: 1,
        };
        let roofline = Roofline { bytes_per_second: 1e9, flops_per_second: 1e12 };
        let spans = [span(250, Some(100_000)), span(250, Some(900_000)), span(100, None)];
        let percents = spans.each_ref().map(|span| {
            let mut lines = vec![];
            Line::add(&mut lines, span, "k");
            lines[0].percent(roofline).round()
        });
        assert_eq!(percents, [25.0, 90.0, 10.0]);
        let mut lines = vec![];
        spans.iter().for_each(|span| Line::add(&mut lines, span, &span.name));
        assert_eq!(lines[0].cells(Some(roofline))[..2], ["k", "3"]);
        assert_eq!(lines[0].cells(Some(roofline))[7], "-", "one of them is unknown");
        assert_eq!(lines[0].cells(None)[2..7], ["3.00", "1.00", "1.00", "1.00", "0.200"]);
    }
}
