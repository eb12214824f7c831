//! Bells and their derivatives as weights.

use super::per_axis::{PerAxis, converted};
use crosslane_core::error::{CallSite, Error, Result};

/// The widest bell: 4 standard deviations of 10^6 elements fit.
const WIDEST: usize = 1 << 22;
/// The most derivatives.
const ORDERS: usize = 32;

/// The bell of [`Array::gaussian_filter`](crate::Array::gaussian_filter): its standard deviation in elements, how far its weights
/// go, and which derivative it is. Each for all axes, or one for each ([`PerAxis`]).
///
/// Functions take everything that converts to it: a deviation, an array, a slice or a `Vec` of them.
///
/// ```
/// # crosslane::example(|device| {
/// use crosslane::Array;
/// use crosslane::array::{Gaussian, PadMode};
/// // Weights exp(-1/2), 1 and exp(-1/2) over their sum.
/// let x = Array::from_slice(device, &[0.0f32, 0.0, 1.0, 0.0, 0.0]);
/// let near = x.gaussian_filter(Gaussian::from(1.0).radius(1), .., PadMode::Edge);
/// crosslane::assert_close(&near.to_vec()?, &[0.0, 0.274_068_62, 0.451_862_76, 0.274_068_62, 0.0]);
/// // The slope of a ramp.
/// let ramp = Array::arange(device, 0.0f32, 40.0, 1.0);
/// let slope = ramp.gaussian_filter(Gaussian::from(2.0).order(1), .., PadMode::Edge).to_vec()?;
/// assert!((slope[20] - 1.0).abs() < 1e-2);
/// # Ok(()) });
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Gaussian {
    sigma: PerAxis<f64>,
    order: PerAxis<usize>,
    truncate: PerAxis<f64>,
    radius: Option<PerAxis<usize>>,
}

converted!(Gaussian, f64, |sigma: PerAxis<f64>| Gaussian {
    sigma,
    order: 0.into(),
    truncate: 4.0.into(),
    radius: None
});

impl Gaussian {
    /// Which derivative: 0, as without it, smooths; 1 gives the slope of what is smoothed, 2 its curvature; up to 32. SciPy's
    /// `order`. The weights are those of the smoothing bell, which add up to 1, times the polynomial of the derivative.
    pub fn order(self, order: impl Into<PerAxis<usize>>) -> Gaussian {
        Gaussian { order: order.into(), ..self }
    }

    /// After how many standard deviations weights are left out, without it 4: SciPy's `truncate`. The radius is the nearest whole
    /// number of elements.
    pub fn truncate(self, truncate: impl Into<PerAxis<f64>>) -> Gaussian {
        Gaussian { truncate: truncate.into(), ..self }
    }

    /// How many weights there are on either side of the middle one: SciPy's `radius`, before which [`Gaussian::truncate`] yields.
    pub fn radius(self, radius: impl Into<PerAxis<usize>>) -> Gaussian {
        Gaussian { radius: Some(radius.into()), ..self }
    }

    /// The weights along each of so many axes, in the order in which they meet values.
    pub(super) fn weights(&self, operation: &'static str, axes: usize, at: CallSite) -> Result<Vec<Vec<f64>>> {
        let sigmas = self.sigma.of(operation, "sigma", axes, at)?;
        let orders = self.order.of(operation, "order", axes, at)?;
        let truncates = self.truncate.of(operation, "truncate", axes, at)?;
        let radii = self.radius.as_ref().map(|radius| radius.of(operation, "radius", axes, at)).transpose()?;
        let one = |axis: usize| {
            let (sigma, order, truncate) = (sigmas[axis], orders[axis], truncates[axis]);
            let mistake =
                |argument: &str, wanted: &str, got: String| Err(Error::argument(operation, argument, wanted, got, at));
            if !(sigma > 0.0 && sigma <= 1e6) {
                return mistake("sigma", "above 0, at most 10^6", sigma.to_string());
            }
            if order > ORDERS {
                return mistake("order", "0 to 32", order.to_string());
            }
            let radius = match &radii {
                Some(radii) if radii[axis] > WIDEST => return mistake("radius", "up to 2^22", radii[axis].to_string()),
                Some(radii) => radii[axis],
                None => match truncate * sigma + 0.5 {
                    radius if radius >= 0.5 && radius < WIDEST as f64 => radius as usize,
                    _ => return mistake("truncate", "0 or more, up to a radius of 2^22", truncate.to_string()),
                },
            };
            Ok(bell(sigma, order, radius))
        };
        (0..axes).map(one).collect()
    }
}

/// The weights of a bell, or of its derivative of this order, in the order in which a correlation takes them: mirrored.
fn bell(sigma: f64, order: usize, radius: usize) -> Vec<f64> {
    let places = || (-(radius as i64)..=radius as i64).map(|t| t as f64);
    let bell: Vec<f64> = places().map(|t| (-0.5 * (t / sigma).powi(2)).exp()).collect();
    let sum: f64 = bell.iter().sum();
    if order == 0 {
        return bell.iter().map(|weight| weight / sum).collect();
    }
    let polynomial = derivative(sigma, order);
    let factor = |t: f64| polynomial.iter().rev().fold(0.0, |sum, coefficient| sum * t + coefficient);
    places().zip(bell).map(|(t, weight)| factor(-t) * (weight / sum)).collect()
}

/// The polynomial, lowest power first, by which the derivative of a bell differs from it: p' - p t / sigma^2, order times.
fn derivative(sigma: f64, order: usize) -> Vec<f64> {
    let square = sigma * sigma;
    (0..order).fold(vec![1.0], |polynomial, _| {
        let at = |power: usize| polynomial.get(power).copied().unwrap_or(0.0);
        let next = |power: usize| {
            let raised = if power == 0 { 0.0 } else { at(power - 1) };
            (power + 1) as f64 * at(power + 1) - raised / square
        };
        (0..=polynomial.len()).map(next).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `scipy.ndimage._filters._gaussian_kernel1d(1.5, order, 3)`, reversed, of SciPy 1.17.1.
    #[test]
    fn weights_are_scipys() {
        let wanted: [[f64; 7]; 4] = [
            [
                0.036632845369194034,
                0.11128075847888486,
                0.21674532140370778,
                0.27068214949642655,
                0.21674532140370778,
                0.11128075847888486,
                0.036632845369194034,
            ],
            [
                -0.04884379382559204,
                -0.09891622975900875,
                -0.09633125395720345,
                0.0,
                0.09633125395720345,
                0.09891622975900875,
                0.04884379382559204,
            ],
            [
                0.04884379382559204,
                0.03846742268405896,
                -0.053517363309557475,
                -0.12030317755396736,
                -0.053517363309557475,
                0.03846742268405896,
                0.04884379382559204,
            ],
            [
                -0.021708352811374242,
                0.05373227295551093,
                0.10941327609953973,
                0.0,
                -0.10941327609953973,
                -0.05373227295551093,
                0.021708352811374242,
            ],
        ];
        for (order, wanted) in wanted.iter().enumerate() {
            let got = bell(1.5, order, 3);
            assert!(got.iter().zip(wanted).all(|(a, b)| (a - b).abs() < 1e-15), "{order}: {got:?}");
        }
    }

    #[test]
    fn polynomials_are_hermites() {
        assert_eq!(derivative(1.0, 3), [0.0, 3.0, 0.0, -1.0]);
        assert_eq!(derivative(0.5, 2), [-4.0, 0.0, 16.0]);
    }
}
