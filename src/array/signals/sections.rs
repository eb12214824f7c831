//! Sections of order 2, as programs give them.

use crosslane_core::error::{CallSite, Error, Result};
use crosslane_ops::recurrence::{Cascade, MOST_STATES};

/// Sections that run together.
pub(super) const PER_LAUNCH: usize = MOST_STATES / 2;

/// The sections as a cascade has them: `b0, b1, b2, a1, a2`, divided by `a0`.
pub(super) fn sections(operation: &'static str, sos: &[[f64; 6]], at: CallSite) -> Result<Vec<Vec<f64>>> {
    let valid = |section: &[f64; 6]| section.iter().all(|value| value.is_finite()) && section[3] != 0.0;
    if sos.is_empty() || !sos.iter().all(valid) {
        let wanted = "sections [b0, b1, b2, a0, a1, a2] of finite numbers, at least one, where a0 is not 0";
        return Err(Error::argument(operation, "sos", wanted, format!("{sos:?}"), at));
    }
    Ok(sos.iter().map(|s| [s[0], s[1], s[2], s[4], s[5]].iter().map(|value| value / s[3]).collect()).collect())
}

pub(super) fn cascade(sections: &[Vec<f64>]) -> Cascade {
    Cascade { order: 2, sections: sections.to_vec() }
}
