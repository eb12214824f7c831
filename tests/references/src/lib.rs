//! What operations mean, in doubles and by definition. Nothing here knows crosslane.

pub mod distributions;
pub mod fourier;
pub mod products;
