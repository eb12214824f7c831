//! Many elements to few, along axes: reductions, normalisations, scans, differences, histograms.

pub(crate) mod binned;
pub(crate) mod compare;
pub(crate) mod complex_moments;
pub(crate) mod difference;
pub(crate) mod extremes;
pub(crate) mod gradient;
pub(crate) mod histogram;
pub(crate) mod nan;
pub(crate) mod normalise;
pub(crate) mod ordered;
pub(crate) mod reduce;
pub(crate) mod scan;
pub(crate) mod statistics;

pub use compare::Tolerance;
pub use scan::Scan;
