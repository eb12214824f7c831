//! Loops that would not end: each loop of a program's kernel counts, and leaves when the launch has had its time.
//!
//! GPUs have no clock that WGSL can read, so time is counted in ticks of about 10 ns: one for a turn of a loop, more
//! if it waits for memory. A loop counts its turns in a variable of its own, which stays in a register, and after about
//! 65,536 ticks looks at a word that all share: the first invocation past the limit writes its kernel and line there, and
//! all others leave their loops when they see it. Who is late leaves each later loop in its first turn.
//!
//! The word lies in the device's memory, the report in the host's: with both in the host's the checked product of
//! benches/matmul_f32.wgsl, a million invocations that look twice, fell from 32.9 to 4.0 TFLOP/s (H200, CUDA, 2026-11-22).

use super::prelude::own;
use super::text::{enclosed, line, without_comments, words};
use std::ops::Range;

/// Ticks in a second.
const RATE: f64 = 1e8;

/// The most ticks that are counted; the counter must not wrap before they are seen.
const MOST: f64 = 4.2e9;

/// Turns of a loop with fewer are not counted.
const FEW: u64 = 1 << 16;

/// About how many ticks there are from one look to the next.
const LOOK: u64 = 1 << 16;

/// The variables and functions that counting needs; bindings and `KERNEL` are put in.
const PRELUDE: &str = "
@group(0) @binding(LIMITS) var<storage, read_write> crosslane_watch: array<atomic<u32>, 2>; // stop, limit
@group(0) @binding(REPORT) var<storage, read_write> crosslane_report: array<atomic<u32>, 2>; // line, kernel
var<private> crosslane_ticks: u32;
var<private> crosslane_late: u32; // a loop counts from here: the next turn after all ones is 0, and looks
fn crosslane_overdue(ticks: u32, line: u32) -> bool {
    if crosslane_late != 0u { return true; }
    crosslane_ticks += min(ticks, 0xffffffffu - crosslane_ticks);
    if atomicLoad(&crosslane_watch[0]) == 0u {
        if crosslane_ticks < atomicLoad(&crosslane_watch[1]) { return false; }
        atomicStore(&crosslane_report[0], line);
        atomicStore(&crosslane_report[1], KERNELu);
        atomicStore(&crosslane_watch[0], 1u);
    }
    crosslane_late = 0xffffffffu;
    return true;
}
";

/// The limit in ticks.
pub(crate) fn limit(seconds: f64) -> u32 {
    (seconds * RATE).clamp(LOOK as f64, MOST) as u32
}

/// A number for a kernel's text, never 0.
pub(super) fn number(source: &str) -> u32 {
    // FNV-1a
    source.bytes().fold(0x811c_9dc5u32, |hash, byte| (hash ^ byte as u32).wrapping_mul(0x0100_0193)).max(1)
}

/// The text with loops that count, limits and report bound at `binding` of group 0 and the next; `None` if each loop is
/// short anyway.
///
/// Everything stays in its line.
pub(super) fn counting(source: &str, binding: u32) -> Option<String> {
    let code = without_comments(&source[..own(source)]);
    let loops: Vec<Loop> = loops(&code).filter(|found| !found.short).collect();
    loops.last()?;
    let mut text = String::with_capacity(source.len() + loops.len() * 160 + PRELUDE.len());
    let mut done = 0;
    let mut pieces: Vec<(usize, String)> = vec![];
    for (number, Loop { start, body, .. }) in loops.iter().enumerate() {
        let weight = weight(&code[body.clone()]);
        let turns = 1u64 << (LOOK / weight).ilog2();
        let (mask, ticks, line) = (turns - 1, turns * weight, line(source, body.start));
        pieces.push((*start, format!("var crosslane_turns_{number} = crosslane_late; ")));
        let look = format!(
            "if (crosslane_turns_{number} & {mask}u) == 0u {{ if crosslane_overdue({ticks}u, {line}u) {{ break; }} }}"
        );
        pieces.push((body.start, format!(" crosslane_turns_{number} += 1u; {look} ")));
    }
    pieces.sort_by_key(|(at, _)| *at);
    for (at, piece) in &pieces {
        text += &source[done..*at];
        text += piece;
        done = *at;
    }
    text += &source[done..];
    let prelude = PRELUDE.replace("LIMITS", &binding.to_string()).replace("REPORT", &(binding + 1).to_string());
    Some(text + &prelude.replace("KERNEL", &number(source).to_string()))
}

/// A loop: where it begins, where the inside of its braces lies, and whether it has a few turns only.
struct Loop {
    start: usize,
    body: Range<usize>,
    short: bool,
}

/// The loops of a text without comments, in order.
fn loops(code: &str) -> impl Iterator<Item = Loop> + '_ {
    words(code).filter_map(|(at, word)| {
        let rest = at + word.len();
        let (open, short) = match word {
            "loop" => (rest + code[rest..].find('{')?, false),
            "while" => (rest + code[rest..].find('{')?, false),
            "for" => {
                let header = enclosed(code, rest + code[rest..].find('(')?)?;
                let open = header.end + code[header.end..].find('{')?;
                (open, is_short(&code[header], &code[enclosed(code, open)?], code))
            }
            _ => return None,
        };
        Some(Loop { start: at, body: enclosed(code, open)?, short })
    })
}

/// Whether a loop's header is `var i = A; i < B; i++`, or one that doubles or halves, with numbers, few turns, and nothing
/// in the body that changes `i`.
fn is_short(header: &str, body: &str, code: &str) -> bool {
    let turns = || -> Option<u64> {
        let mut parts = header.split(';');
        let (first, condition, step) = (parts.next()?, parts.next()?, parts.next()?);
        let (variable, start) = first.trim().strip_prefix("var ")?.split_once('=')?;
        let variable = variable.split(':').next()?.trim();
        let start = number_of(start, code)?;
        let (less, rest) = compared(condition.trim().strip_prefix(variable)?.trim())?;
        let end = number_of(rest, code)?;
        let step = step.trim().strip_prefix(variable)?.trim();
        let by = |operator: &str, least: u64| {
            step.strip_prefix(operator)
                .and_then(|rest| number_of(rest, code))
                .is_some_and(|by| (least..=FEW).contains(&by))
        };
        let turns = match less {
            // What is so large overflows before it ends.
            true if end > 0x7ffe_0000 => return None,
            true if step == "++" || by("+=", 1) => end.saturating_sub(start),
            true if start >= 1 && end < 1 << 15 && (by("*=", 2) || by("<<=", 1)) => 32,
            false if by("/=", 2) || by(">>=", 1) => 64,
            _ => return None,
        };
        (!is_changed(variable, body)).then_some(turns)
    };
    turns().is_some_and(|turns| turns < FEW)
}

/// Whether a condition is `<` or `<=`, or `>`, and what stands after it.
fn compared(condition: &str) -> Option<(bool, &str)> {
    match condition.strip_prefix('<') {
        Some(rest) => Some((true, rest.strip_prefix('=').unwrap_or(rest))),
        None => Some((false, condition.strip_prefix('>').filter(|rest| !rest.starts_with('='))?)),
    }
}

/// Whether a variable is assigned to, or its address taken.
fn is_changed(variable: &str, body: &str) -> bool {
    let operators = ["++", "--", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="];
    words(body).filter(|(_, word)| *word == variable).any(|(at, word)| {
        let after = body[at + word.len()..].trim_start();
        let assigned = after.starts_with('=') && !after.starts_with("==");
        assigned || operators.iter().any(|o| after.starts_with(o)) || body[..at].trim_end().ends_with('&')
    })
}

/// A number, or the constant of that name.
fn number_of(text: &str, code: &str) -> Option<u64> {
    let number = |text: &str| text.trim().trim_end_matches(['u', 'i']).parse().ok();
    number(text).or_else(|| {
        let mut constants = code.split("const ").skip(1).filter_map(|rest| rest.split_once(';')?.0.split_once('='));
        let (_, value) = constants.find(|(name, _)| name.split(':').next().is_some_and(|n| n.trim() == text.trim()))?;
        number(value)
    })
}

/// About how many ticks a turn takes: what it does with memory.
fn weight(body: &str) -> u64 {
    let atomics = body.matches("atomic").count() as u64;
    let accesses = body.matches('[').count() as u64;
    (1 + 32 * atomics + 4 * accesses).min(4096)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(body: &str) -> Option<String> {
        counting(&format!("@compute @workgroup_size(1) fn main() {{ {body} }}"), 0)
    }

    #[test]
    fn loops_count_unless_they_are_short() {
        for body in [
            "loop { break; }",
            "while x < 3 { x++; }",
            "for (var i = 0u; i < n; i++) { }",
            "for (;;) { }",
            "for (var i = 2147483600; i <= 2147483647; i++) { }",
            "for (var i = 0; i < 100; i += 0) { }",
            "for (var step = 128u; step >= 0u; step /= 2u) { }",
            "for (var step = 128u; step > 0u; step /= 1u) { }",
            "for (var step = 0; step < 256; step *= 2) { }",
            "for (var step = 1u; step < 4294967295u; step *= 2u) { }",
            "for (var i = 0; i < 70000; i += 1) { }",
            "for (var i = 0; i < 7; i -= 1) { }",
            "for (var i = f(g(1), 2); i < 7; i += 1) { }",
            "for (var i = 0u; i < 16u; i++) { i = 0u; }",
            "for (var i = 0u; i < 16u; i++) { reset(&i); }",
            "for (var i = 0u; i < 16u; i++) { i -= 1u; }",
        ] {
            let text = count(body).expect(body);
            assert_eq!(text.matches("if crosslane_overdue(").count(), 1, "{text}");
            let look = "if (crosslane_turns_0 & 65535u) == 0u { if crosslane_overdue(65536u, 1u) { break; } } ";
            assert!(text.contains(&format!("{{ crosslane_turns_0 += 1u; {look}")), "{text}");
            assert!(text.contains(&format!("var crosslane_turns_0 = crosslane_late; {}", &body[..3])), "{text}");
        }
        for body in [
            "let whiled = 1; let forloop = 2;",
            "// loop { }\n /* while x { /* } */ for (;;) { } */",
            "for (var i = 0u; i < 16u; i++) { if i == 3u { x[i] = 1; } }",
            "for (var i = 0u; i < TILE; i++) { } } const TILE: u32 = 32u; fn f() {",
            "for (var step = 128u; step > 0u; step /= 2u) { near[i] += near[i + step]; }",
            "for (var step = 1; step < 256; step <<= 1u) { }",
            "for (var i: i32 = 2; i <= 60000; i += 3) { }",
        ] {
            assert_eq!(count(body), None, "{body}");
        }
    }

    #[test]
    fn lines_stay_and_memory_weighs() {
        let text = count("\n\n  loop { // {\n atomicAdd(&x[0], 1u); loop { é } }").unwrap();
        assert!(text.contains("& 1023u) == 0u { if crosslane_overdue(37888u, 3u) { break; } }  // {\n"), "{text}");
        assert!(text.contains("var crosslane_turns_1 = crosslane_late; loop { crosslane_turns_1 += 1u;"), "{text}");
        assert!(text.contains("if crosslane_overdue(65536u, 4u) { break; } }  é }"), "{text}");
        assert!(number("a") != number("b"));
        assert_eq!((limit(20.0), limit(1e9), limit(0.0)), (2_000_000_000, 4_200_000_000, 65536));
    }
}
