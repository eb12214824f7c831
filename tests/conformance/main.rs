//! Every operation on every device against its meaning, by topic.

#[path = "../support/mod.rs"]
mod support;

mod accuracy;
mod casts;
#[cfg(feature = "cpu")]
mod chains;
mod channels;
mod closeness;
mod complex;
mod doubles;
mod elementwise;
mod expressions;
mod extremes;
mod filters;
mod gather;
mod gl;
mod histogram;
mod images;
mod interop;
mod masked;
mod matmul;
mod memory;
mod moments;
mod moves;
mod nan;
mod normalise;
mod ordered;
mod past_bound;
mod places;
mod printing;
mod quantiles;
mod random;
mod reductions;
mod runs;
mod scans;
mod searchsorted;
mod segments;
mod selected;
mod selections;
mod sets;
mod signals;
mod sort;
mod spectra;
mod statistics;
mod stencils;
mod steps;
mod stress;
mod threads;
mod top_k;
mod transfers;
mod transpositions;
mod turns;
mod unique;
mod views;
mod windows;
