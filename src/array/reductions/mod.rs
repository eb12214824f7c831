//! Many elements to few, along axes: reductions, normalisations, scans, differences, histograms.

pub(crate) mod binned;
pub(crate) mod compare;
pub(crate) mod difference;
pub(crate) mod gradient;
pub(crate) mod histogram;
pub(crate) mod normalise;
pub(crate) mod ordered;
pub(crate) mod reduce;
pub(crate) mod scan;

pub use compare::Tolerance;
pub use scan::Scan;
