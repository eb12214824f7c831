//! Which library stands beside which rows, and why some rows have none: two tables of RESULTS.md.

use super::Row;
use crate::Outcome;

/// Peers by the first word of their names: the library, and the programs that measure it.
const LIBRARIES: [(&str, &str, &str); 9] = [
    ("cuda", "CUDA: `cudaMemcpy`, a triad and launches written by hand", "`peers/cub_peers.cu`"),
    ("cub", "CUB", "`peers/cub_peers.cu`"),
    ("cublas", "cuBLAS through PyTorch", "`peers/python_peers.py`, `peers/warm_products.py`"),
    ("cudnn", "cuDNN through PyTorch", "`peers/python_peers.py`"),
    ("cufft", "cuFFT through PyTorch", "`peers/python_peers.py`"),
    ("torch", "PyTorch", "`peers/python_peers.py`, `peers/more_peers.py`"),
    ("cupy", "CuPy", "`peers/python_peers.py`, `peers/more_peers.py`"),
    ("numba", "Numba", "`peers/python_peers.py`"),
    ("numpy", "NumPy, on the host", "`peers/more_peers.py`"),
];

/// Why rows have no peer, by the first part of their names.
const NONE: [(&str, &str); 2] = [
    ("first_use", "the first launch of a kernel: each library compiles other kernels at another time"),
    ("upload_mapped", "the device's part alone of an upload; CUDA's whole copy stands beside `upload_pageable`"),
];

fn names<'a>(rows: impl Iterator<Item = &'a Row>) -> Vec<&'a str> {
    let mut names: Vec<&str> = vec![];
    for row in rows {
        if !names.contains(&row.op.as_str()) {
            names.push(&row.op);
        }
    }
    names
}

fn listed(names: &[&str]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

fn library(row: &Row) -> Option<&str> {
    row.peer.as_deref().and_then(|peer| peer.split(' ').next())
}

/// Each library with its rows. A library that has no line above is an error.
pub fn beside(rows: &[Row]) -> Outcome<String> {
    let known = |name: &str| LIBRARIES.iter().any(|(library, ..)| *library == name);
    if let Some(unknown) = rows.iter().filter_map(library).find(|name| !known(name)) {
        return Err(format!(
            "{unknown} is a peer in {}, and has no line in xtask/src/results/peers.rs",
            super::FIGURES
        ));
    }
    let mut text = "| peer | rows | by which program |\n|---|---|---|\n".to_string();
    for (name, what, program) in LIBRARIES {
        let own = names(rows.iter().filter(|row| library(row) == Some(name)));
        if !own.is_empty() {
            text += &format!("| {what} | {} | {program} |\n", listed(&own));
        }
    }
    Ok(text)
}

/// The rows that no run had a peer for, and why.
pub fn without(rows: &[Row]) -> String {
    let with = names(rows.iter().filter(|row| row.peer.is_some()));
    let without: Vec<&str> = names(rows.iter()).into_iter().filter(|name| !with.contains(name)).collect();
    let why = |name: &str| NONE.iter().find(|(start, _)| name.starts_with(start)).map(|(_, why)| *why);
    let mut text = String::new();
    for (start, why) in NONE {
        let own: Vec<&str> = without.iter().copied().filter(|name| name.starts_with(start)).collect();
        if !own.is_empty() {
            text += &format!("- {}: {why}.\n", listed(&own));
        }
    }
    let others: Vec<&str> = without.into_iter().filter(|name| why(name).is_none()).collect();
    if !others.is_empty() {
        text += &format!(
            "- {}: the run of these figures was before `peers/more_peers.py`, which measures their peers.\n",
            listed(&others)
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(op: &str, peer: Option<&str>) -> Row {
        let [op, engine, unit, date, commit] = [op, "cuda-best", "us", "", ""].map(String::from);
        let peer = peer.map(String::from);
        Row { op, n: 1, engine, value: 1.0, unit, peer, peer_value: None, ratio: None, date, commit }
    }

    #[test]
    fn every_library_of_the_figures_has_a_line() {
        let text = beside(&[row("fft_c64", Some("cufft fft_c64")), row("fft2_c64", Some("cufft fft2_c64"))]).unwrap();
        assert!(text.contains("| cuFFT through PyTorch | `fft_c64`, `fft2_c64` |"), "{text}");
        assert!(beside(&[row("x", Some("thrust x"))]).unwrap_err().contains("thrust"));
        assert!(beside(&super::super::rows().unwrap()).is_ok());
    }

    /// `benches/h200.sh` without filters measures all rows, and each has a peer's program or a reason.
    #[test]
    fn every_row_is_measured_and_has_a_peer_or_a_reason() {
        let file = |path: &str| std::fs::read_to_string(crate::root().join("benches").join(path)).unwrap();
        let script = file("h200.sh");
        let filters = script.split_once("set -- ").unwrap().1.split_once("\npeers=").unwrap().0;
        let filters: Vec<&str> = filters.split_whitespace().filter(|word| *word != "\\").collect();
        let programs = ["cub_peers.cu", "python_peers.py", "warm_products.py", "more_peers.py"];
        let programs: String = programs.iter().map(|name| file(&format!("peers/{name}"))).collect();
        for row in super::super::rows().unwrap() {
            assert!(filters.iter().any(|filter| row.op.contains(filter)), "h200.sh does not measure {}", row.op);
            let reason = NONE.iter().any(|(start, _)| row.op.starts_with(start));
            let named = || programs.contains(&format!("\"{}\"", row.op));
            assert!(reason || row.peer.is_some() || named(), "{} has no peer and no reason", row.op);
        }
    }

    #[test]
    fn rows_without_a_peer_say_why() {
        let text = without(&[row("first_use_cold", None), row("nth_i32", None), row("sum_f32", Some("cub sum_f32"))]);
        assert!(text.contains("`first_use_cold`: the first launch") && text.contains("`nth_i32`: the run"), "{text}");
        assert!(!text.contains("sum_f32"));
    }
}
