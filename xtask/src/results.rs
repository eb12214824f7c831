//! The figures of `benches/h200.json`: the tables and the chart made from them, and new figures put among them.

#[path = "results/peers.rs"]
mod peers;

use crate::{Outcome, chart, root};
use serde::{Deserialize, Serialize};

const FIGURES: &str = "benches/h200.json";
const RESULTS: &str = "benches/RESULTS.md";

/// The operations of the README's table, each at one size: kernels bound by memory, sorts, products, and a launch.
const CHOSEN: [(&str, u64); 10] = [
    ("expression_gelu", 1 << 28),
    ("sum_f32", 1 << 28),
    ("exclusive_sum_f32", 1 << 28),
    ("select_if_f32_25pct", 1 << 28),
    ("histogram_even_f32_256", 1 << 28),
    ("sort_keys_u32", 1 << 28),
    ("softmax_rows_f32", 16384),
    ("matmul_f32", 8192),
    ("matmul_f16", 8192),
    ("launch_sync_empty", 1),
];

/// What some of our operations are compared with, by the peers' names; the others have the same name, if there is a peer.
/// A fused expression moves as many bytes a second as the card can, if it is done well: its measure is CUDA's triad.
const PEERS: [(&str, &[&str]); 15] = [
    ("copy_f32", &["copy_f32", "copy_d2d"]),
    ("expression_2x_plus_1", &["triad_f32"]),
    ("expression_sqrt", &["triad_f32"]),
    ("expression_gelu", &["triad_f32"]),
    ("download_pageable_into", &["download_pageable"]),
    ("download_mapped", &["download_pinned"]),
    ("upload_mapped", &[]),
    ("launch_sync_empty_each", &["launch_sync_empty"]),
    ("launch_wgsl_each", &["launch_sync_empty"]),
    ("matmul_wgsl_f32", &["matmul_f32"]),
    ("matmul_wgsl_checked_f32", &["matmul_f32"]),
    ("matmul_tensor_f32", &["matmul_tf32"]),
    ("matmul_256x512x256", &["seed_matmul_256x512x256"]),
    ("seed_matmul_256x512x256_checked", &["seed_matmul_256x512x256"]),
    ("result_4_bytes", &["download_4_bytes"]),
];

/// A measured figure beside its peer's of the same run.
#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Row {
    pub op: String,
    pub n: u64,
    pub engine: String,
    pub value: f64,
    pub unit: String,
    pub peer: Option<String>,
    pub peer_value: Option<f64>,
    /// Above 1: crosslane is better.
    pub ratio: Option<f64>,
    pub date: String,
    pub commit: String,
}

impl Row {
    pub fn is(&self, op: &str, n: u64) -> bool {
        self.op == op && self.n == n
    }
}

/// A line of `crosslane bench --json`.
#[derive(Deserialize)]
struct Ours {
    op: String,
    n: u64,
    engine: String,
    value: f64,
    unit: String,
}

/// A line of the peers' programs.
#[derive(Clone, Deserialize)]
struct Peer {
    peer: String,
    op: String,
    n: u64,
    value: f64,
    unit: String,
    /// There where the card was warmed up as long as ours.
    warm_ms: Option<f64>,
}

/// Whether less is better.
fn is_time(unit: &str) -> bool {
    ["us", "ms"].contains(&unit)
}

fn significant(value: f64, digits: usize) -> f64 {
    format!("{value:.*e}", digits - 1).parse().expect("a number was written")
}

fn read(path: &str) -> Outcome<String> {
    std::fs::read_to_string(root().join(path)).map_err(|error| format!("{path}: {error}"))
}

fn parsed<T: for<'a> Deserialize<'a>>(path: &str, text: &str) -> Outcome<T> {
    serde_json::from_str(text).map_err(|error| format!("{path}: {error}"))
}

fn rows() -> Outcome<Vec<Row>> {
    parsed(FIGURES, &read(FIGURES)?)
}

/// Of what one device gets by several kernels, the fastest: what the library takes.
pub fn best<'a>(rows: &'a [Row], op: &str, n: u64, engine: &str) -> Option<&'a Row> {
    let faster = |a: &&Row, b: &&Row| match is_time(&a.unit) {
        true => b.value.total_cmp(&a.value),
        false => a.value.total_cmp(&b.value),
    };
    rows.iter().filter(|row| row.is(op, n) && row.engine.starts_with(engine)).max_by(faster)
}

fn number(value: Option<f64>) -> String {
    value.map(|value| value.to_string()).unwrap_or_default()
}

fn peer(row: &Row) -> String {
    row.peer.as_ref().map(|peer| format!("{peer} {}", number(row.peer_value))).unwrap_or_default()
}

/// Every figure.
fn whole(rows: &[Row]) -> Outcome<String> {
    let mut text = "| operation | n | engine | measured | peer, same run | ratio | date | commit |\n".to_string();
    text += "|---|---|---|---|---|---|---|---|\n";
    for row in rows {
        let Row { op, n, engine, value, unit, date, commit, .. } = row;
        let (peer, ratio) = (peer(row), number(row.ratio));
        text += &format!("| {op} | {n} | {engine} | {value} {unit} | {peer} | {ratio} | {date} | {commit} |\n");
    }
    Ok(text)
}

/// The README's ten rows.
fn chosen(rows: &[Row]) -> Outcome<String> {
    let mut text = "| operation | n | Vulkan | ratio | CUDA | ratio | peer, same run |\n".to_string();
    text += "|---|---|---|---|---|---|---|\n";
    for (op, n) in CHOSEN {
        let find =
            |engine: &str| best(rows, op, n, engine).ok_or(format!("{FIGURES} has no {op} of {n} through {engine}"));
        let (vulkan, cuda) = (find("vulkan")?, find("cuda")?);
        let Row { unit, .. } = vulkan;
        let cell = |row: &Row| format!("{} {unit} | {}", row.value, number(row.ratio));
        text += &format!("| `{op}` | {n} | {} | {} | {} |\n", cell(vulkan), cell(cuda), peer(vulkan));
    }
    Ok(text)
}

/// A file's text whose part between two markers of this name is made.
fn with(path: &str, text: &str, name: &str, made: &str) -> Outcome<String> {
    let (begin, end) = (format!("<!-- {name} -->\n"), format!("<!-- /{name} -->"));
    let missing = || format!("{path} lacks the markers {} and {end}", begin.trim_end());
    let (head, rest) = text.split_once(&begin).ok_or_else(missing)?;
    let (_, tail) = rest.split_once(&end).ok_or_else(missing)?;
    Ok(format!("{head}{begin}{made}{end}{tail}"))
}

/// RESULTS.md with its three tables.
fn results(rows: &[Row]) -> Outcome<String> {
    let text = with(RESULTS, &read(RESULTS)?, "peers", &peers::beside(rows)?)?;
    let text = with(RESULTS, &text, "without", &peers::without(rows))?;
    with(RESULTS, &text, "table", &whole(rows)?)
}

/// What is made from the figures: path and contents.
fn made() -> Outcome<[(&'static str, String); 3]> {
    let rows = rows()?;
    Ok([
        (RESULTS, results(&rows)?),
        ("benches/ratios.svg", chart::svg(&rows)),
        ("README.md", with("README.md", &read("README.md")?, "table", &chosen(&rows)?)?),
    ])
}

pub fn write() -> Outcome<()> {
    for (path, contents) in made()? {
        std::fs::write(root().join(path), contents).map_err(|error| format!("{path}: {error}"))?;
    }
    Ok(())
}

pub fn check() -> Outcome<()> {
    let differs = |(path, contents): &(&str, String)| read(path).ok().as_ref() != Some(contents);
    let old: Vec<&str> = made()?.iter().filter(|made| differs(made)).map(|(path, _)| *path).collect();
    match old.is_empty() {
        true => Ok(()),
        false => Err(format!("{} is not what {FIGURES} says: run `cargo xtask results`", old.join(", "))),
    }
}

/// The best figure of the peers for an operation of ours.
fn rival<'a>(ours: &Ours, peers: &'a [Peer]) -> Option<&'a Peer> {
    let own = [ours.op.as_str()];
    let names = PEERS.iter().find(|(op, _)| *op == ours.op).map_or(&own[..], |(_, names)| names);
    let matching = |peer: &&Peer| names.contains(&peer.op.as_str()) && peer.n == ours.n && peer.unit == ours.unit;
    let all: Vec<&Peer> = peers.iter().filter(matching).collect();
    // Warmed up as ours are, where somebody measured that.
    let warm: Vec<&Peer> = all.iter().copied().filter(|peer| peer.warm_ms.is_some()).collect();
    let from = if warm.is_empty() { all } else { warm };
    let order = |a: &&Peer, b: &&Peer| a.value.total_cmp(&b.value);
    if is_time(&ours.unit) { from.into_iter().min_by(order) } else { from.into_iter().max_by(order) }
}

fn pair(ours: Ours, peers: &[Peer], commit: &str, date: &str) -> Row {
    let peer = rival(&ours, peers);
    let ratio = peer.map(|peer| match is_time(&ours.unit) {
        true => peer.value / ours.value,
        false => ours.value / peer.value,
    });
    Row {
        // A bench of one device calls it by its name.
        engine: if ours.engine == "cuda" { "cuda-best".into() } else { ours.engine },
        value: significant(ours.value, 4),
        peer: peer.map(|peer| format!("{} {}", peer.peer, peer.op)),
        peer_value: peer.map(|peer| peer.value),
        ratio: ratio.map(|ratio| significant(ratio, 3)),
        op: ours.op,
        n: ours.n,
        unit: ours.unit,
        date: date.into(),
        commit: commit.into(),
    }
}

/// The rows of before with the new ones in their places, by engine, and those of other operations behind.
fn merged(mut rows: Vec<Row>, new: Vec<Row>) -> Vec<Row> {
    for row in new {
        match rows.iter_mut().find(|old| old.is(&row.op, row.n) && old.engine == row.engine) {
            Some(old) => *old = row,
            None => rows.push(row),
        }
    }
    let mut engines: Vec<String> = vec![];
    for row in &rows {
        if !engines.contains(&row.engine) {
            engines.push(row.engine.clone());
        }
    }
    rows.sort_by_key(|row| engines.iter().position(|engine| *engine == row.engine));
    rows
}

/// Puts the figures of a run among those that are kept, and makes the tables. Rows that the run does not have stay.
pub fn merge(ours: &str, peers: &str, commit: &str, date: &str) -> Outcome<()> {
    let at = |path: &str| std::fs::read_to_string(path).map_err(|error| format!("{path}: {error}"));
    let lines = at(peers)?;
    let peers: Vec<Peer> =
        lines.lines().filter(|line| line.starts_with('{')).map(|line| parsed(peers, line)).collect::<Outcome<_>>()?;
    let new: Vec<Ours> = parsed(ours, &at(ours)?)?;
    let new = new.into_iter().map(|row| pair(row, &peers, commit, date)).collect();
    let lines: Vec<String> = merged(rows()?, new)
        .iter()
        .map(|row| serde_json::to_string(row).map(|line| format!("  {line}")).map_err(|error| error.to_string()))
        .collect::<Outcome<_>>()?;
    let text = format!("[\n{}\n]\n", lines.join(",\n"));
    std::fs::write(root().join(FIGURES), text).map_err(|error| format!("{FIGURES}: {error}"))?;
    write()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(op: &str, engine: &str, value: f64) -> Row {
        let ours = Ours { op: op.into(), n: 4, engine: engine.into(), value, unit: "GB/s".into() };
        let peer = |name: &str, value| Peer {
            peer: name.into(),
            op: "sum_f32".into(),
            n: 4,
            value,
            unit: "GB/s".into(),
            warm_ms: None,
        };
        pair(ours, &[peer("torch", 3000.0), peer("cub", 4000.0)], "abc", "2026-11-24")
    }

    #[test]
    fn the_best_peer_counts() {
        let row = row("sum_f32", "vulkan", 2000.06);
        assert_eq!((row.peer.as_deref(), row.ratio, row.value), (Some("cub sum_f32"), Some(0.5), 2000.0));
    }

    #[test]
    fn new_rows_take_the_old_ones_places() {
        let old = vec![row("sum_f32", "vulkan", 1.0), row("sum_f32", "cuda-wgsl", 2.0)];
        let rows = merged(old, vec![row("dot_f32", "vulkan", 3.0), row("sum_f32", "vulkan", 4.0)]);
        let told: Vec<_> = rows.iter().map(|row| (row.op.as_str(), row.engine.as_str(), row.value)).collect();
        assert_eq!(told, [("sum_f32", "vulkan", 4.0), ("dot_f32", "vulkan", 3.0), ("sum_f32", "cuda-wgsl", 2.0)]);
        assert_eq!(best(&rows, "sum_f32", 4, "cuda").map(|row| row.value), Some(2.0));
    }
}
