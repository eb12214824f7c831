//! The scalars with which cases call each draw: all branches of each.

use super::{DRAWS, MIRRORED, OWEN, PERMUTED};
use crosslane_core::element::{DType, Scalar};
use crosslane_core::op::Shared;

/// Each function, and the scalars after its index.
pub fn calls() -> Vec<(&'static Shared, Vec<Scalar>)> {
    // The second number of a block passes 32 bits.
    let place = [0x0123_4567u32, 0x89ab_cdef, 0xffff_fff0, 7].map(Scalar::from);
    let drawn = |draw: &'static Shared| {
        let calls = own(draw).into_iter().map(move |own| (draw, [place.to_vec(), own].concat()));
        calls.filter(|(draw, scalars)| scalars.len() + 1 == draw.parameters.len()).collect::<Vec<_>>()
    };
    let sequences = [
        (&PERMUTED, [1u32, 2, 45, 2000].map(Scalar::from).to_vec()),
        (&OWEN, vec![Scalar::from(0x9e37_79b9u32)]),
        (&MIRRORED, [3, 3u32.pow(20), 0].map(Scalar::from).to_vec()),
        (&MIRRORED, [7919, 7919u32.pow(2), 5].map(Scalar::from).to_vec()),
    ];
    DRAWS.iter().flat_map(|draw| drawn(draw)).chain(sequences).collect()
}

/// A draw's own scalars.
fn own(draw: &Shared) -> Vec<Vec<Scalar>> {
    let singles = |rows: &[&[f32]]| rows.iter().map(|row| row.iter().map(|x| Scalar::from(*x)).collect()).collect();
    let counts = |rows: &[(u32, f32)]| rows.iter().map(|row| vec![Scalar::from(row.0), Scalar::from(row.1)]).collect();
    match draw.name {
        "r_below" => [0u32, 1, 6, 3_000_000_000].map(|range| vec![Scalar::from(range)]).into(),
        "r_below_wide" => [0u64, 1, 10, 1 << 32, 3 << 40, 5 << 61].map(|range| vec![Scalar::from(range)]).into(),
        "r_uniform" => singles(&[&[-2.0, 3.0, 0.99999994]]),
        "r_uniform_wide" => vec![[-2.0f64, 3.0, 0.999_999_999_999].map(Scalar::from).to_vec()],
        "r_lognormal" => singles(&[&[0.5, 0.25], &[0.0, 60.0]]),
        "r_gamma" | "r_log_gamma" => singles(&[&[0.02], &[0.5], &[1.0], &[3.5], &[1e6], &[-1.0], &[f32::NAN]]),
        "r_beta" => singles(&[&[0.5, 0.5], &[2.0, 7.0], &[1e-3, 2e-3], &[0.0, 1.0]]),
        "r_poisson" => singles(&[&[0.0], &[1e-3], &[4.5], &[10.0], &[300.0], &[1e6], &[f32::NAN]]),
        "r_bernoulli" | "r_geometric" => singles(&[&[0.3], &[1.0], &[1e-6], &[0.0]]),
        "r_binomial" => {
            counts(&[(0, 0.5), (1, 0.5), (20, 0.3), (40, 0.5), (1000, 0.9), (1 << 24, 0.01), (100, 0.0), (90, 1.0)])
        }
        _ => {
            debug_assert!(
                draw.parameters.iter().all(|(_, dtype)| *dtype == DType::U32),
                "{} has no scalars",
                draw.name
            );
            vec![vec![]]
        }
    }
}
