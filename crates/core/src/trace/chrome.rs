//! Traces as Chrome's trace events, which chrome://tracing and Perfetto draw.

use super::{Span, SpanKind, Trace};
use std::fmt::Write;
use std::time::Duration;

/// The tracks in their order, and what they are called.
const TRACKS: [(&str, &[SpanKind]); 4] = [
    ("device", &[SpanKind::Launch]),
    ("transfers", &[SpanKind::Upload, SpanKind::Download]),
    ("host waits", &[SpanKind::Wait]),
    ("compilation", &[SpanKind::Compile]),
];

impl Trace {
    /// The trace in Chrome's trace event format, JSON: open it in <https://ui.perfetto.dev> or chrome://tracing.
    /// Launches, transfers, host waits and compilations each have a track of their own, or several where they overlap.
    /// The device's clock is aligned with the host's at the profile's start, so that tracks agree within some
    /// microseconds.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let x = crosslane::Array::<f32>::ones(device, &[1000]);
    /// let ((), trace) = device.profile(|| x.eval())?;
    /// std::fs::write(std::env::temp_dir().join("trace.json"), trace.chrome_json()).unwrap();
    /// # Ok(()) });
    /// ```
    pub fn chrome_json(&self) -> String {
        let mut events = vec![metadata("process_name", 0, &self.device)];
        let mut number = 0;
        for (name, kinds) in TRACKS {
            let spans: Vec<&Span> = self.spans.iter().filter(|span| kinds.contains(&span.kind)).collect();
            for (nth, lane) in lanes(&spans).into_iter().enumerate() {
                number += 1;
                let name = if nth == 0 { name.to_string() } else { format!("{name} {}", nth + 1) };
                events.push(metadata("thread_name", number, &name));
                events.push(format!(
                    r#"{{"ph":"M","pid":1,"tid":{number},"name":"thread_sort_index","args":{{"sort_index":{number}}}}}"#
                ));
                events.extend(lane.into_iter().map(|span| event(span, number)));
            }
        }
        format!("{{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n{}\n]}}\n", events.join(",\n"))
    }
}

/// Spans of one track side by side where they overlap: a viewer takes what overlaps for calls within calls.
fn lanes<'a>(spans: &[&'a Span]) -> Vec<Vec<&'a Span>> {
    let mut lanes: Vec<Vec<&Span>> = vec![];
    for &span in spans {
        let free = |lane: &&mut Vec<&Span>| lane.last().is_none_or(|last| last.end() <= span.start);
        match lanes.iter_mut().find(free) {
            Some(lane) => lane.push(span),
            None => lanes.push(vec![span]),
        }
    }
    lanes
}

fn metadata(what: &str, track: usize, name: &str) -> String {
    format!(r#"{{"ph":"M","pid":1,"tid":{track},"name":"{what}","args":{{"name":{}}}}}"#, quoted(name))
}

fn event(span: &Span, track: usize) -> String {
    let micros = |time: Duration| time.as_nanos() as f64 / 1e3;
    let mut args = format!("\"bytes\":{}", span.bytes);
    if let Some(flops) = span.flops {
        let _ = write!(args, ",\"flops\":{flops}");
    }
    if span.launches > 0 {
        let _ = write!(args, ",\"launches\":{}", span.launches);
    }
    format!(
        r#"{{"ph":"X","pid":1,"tid":{track},"name":{},"cat":"{:?}","ts":{:.3},"dur":{:.3},"args":{{{args}}}}}"#,
        quoted(&span.name),
        span.kind,
        micros(span.start),
        micros(span.duration),
    )
}

/// A JSON string.
fn quoted(text: &str) -> String {
    let mut quoted = String::from('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            c if (c as u32) < 0x20 => {
                let _ = write!(quoted, "\\u{:04x}", c as u32);
            }
            c => quoted.push(c),
        }
    }
    quoted + "\""
}

#[cfg(test)]
mod tests {
    use super::*;

    fn span(start: u64, duration: u64) -> Span {
        Span {
            kind: SpanKind::Launch,
            name: "a \"b\"\n\\".into(),
            start: Duration::from_nanos(start),
            duration: Duration::from_nanos(duration),
            bytes: 4,
            flops: None,
            launches: 1,
        }
    }

    #[test]
    fn what_overlaps_is_drawn_side_by_side() {
        let spans = [span(0, 10), span(5, 10), span(10, 10), span(12, 1)];
        let counts: Vec<usize> = lanes(&spans.iter().collect::<Vec<_>>()).iter().map(Vec::len).collect();
        assert_eq!(counts, [2, 1, 1]);
    }

    #[test]
    fn names_are_quoted() {
        assert_eq!(quoted("a \"b\"\n\\"), r#""a \"b\"\u000a\\""#);
        assert!(event(&span(1500, 2), 3).contains(r#""ts":1.500,"dur":0.002,"args":{"bytes":4,"launches":1}"#));
    }
}
