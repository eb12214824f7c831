//! Filters in time of `scipy.signal`, and transforms of `scipy.fft`.

use crate::row::{Answer, Given, Row, one, two};
use crosslane::array::{
    Band, CosineKind, FftOptions, Norm, PeakOptions, SpectrumOptions, Window, butterworth, chebyshev1, firwin,
    lfilter_zi, sosfilt_zi,
};
use crosslane::{Array, Complex, Device, Part, Result};
use std::f64::consts::PI;

fn sections(row: &Row) -> Vec<[f64; 6]> {
    row.numbers("sos").chunks(6).map(|section| section.try_into().expect("six")).collect()
}

/// The calls that real and complex signals have.
macro_rules! filtered {
    ($row:expr, $x:expr, $states:expr) => {{
        let (row, x) = ($row, $x);
        let (b, a) = (|| row.numbers("b"), || row.numbers("a"));
        let (axis, at) = (|| row.number("axis") as isize, || row.count("at"));
        one(match row.text("what") {
            "lfilter" => x().lfilter(&b(), &a(), axis()),
            "lfilter_from" => return two(x().lfilter_from(&b(), &a(), axis(), &$states())),
            "filtfilt" => x().filtfilt(&b(), &a(), axis()),
            "sosfilt" => x().sosfilt(&sections(row), axis()),
            "sosfilt_from" => return two(x().sosfilt_from(&sections(row), axis(), &$states())),
            "sosfiltfilt" => x().sosfiltfilt(&sections(row), axis()),
            "resample" => x().resample(at(), axis()),
            "resample_poly" => x().resample_poly(row.count("up"), row.count("down"), axis()),
            "decimate" => x().decimate(at(), axis()),
            "decimate_iir" => x().decimate_iir(at(), axis()),
            _ => return None,
        })
    }};
}

pub fn real<R: Part>(row: &Row, device: &Device) -> Answer {
    if row.is_complex() {
        return filtered!(row, || row.complex::<R>(device, "x"), || row.complex::<R>(device, "states"));
    }
    let x = || row.array::<R>(device, "x");
    match row.text("what") {
        "savgol_filter" => one(x().savgol_filter(
            row.count("length"),
            row.count("degree"),
            row.count("derivative"),
            row.number("axis") as isize,
            (row.text("edges") != "interp").then(|| row.boundaries()[0]),
        )),
        "find_peaks" => Some(peaks(row, &x())),
        "analytic_signal" => one(x().analytic_signal()),
        _ => filtered!(row, x, || row.array::<R>(device, "states")),
    }
}

fn peaks<R: Part>(row: &Row, x: &Array<R>) -> Result<Vec<Given>> {
    let mut options = PeakOptions::default();
    for (name, set) in [
        ("height", PeakOptions::height as fn(PeakOptions, f64) -> PeakOptions),
        ("threshold", PeakOptions::threshold),
        ("distance", PeakOptions::distance),
        ("prominence", PeakOptions::prominence),
    ] {
        if row.has(name) {
            options = set(options, row.number(name));
        }
    }
    let found = x.find_peaks(&options)?;
    let host = |values: &[R]| Given::host(values.iter().map(|&value| crate::support::parts(value)[0]).collect());
    let places = Given::host(found.places.iter().map(|&place| place as f64).collect());
    let prominences = row.has("prominence").then(|| host(&found.prominences));
    Ok([places, host(&found.heights)].into_iter().chain(prominences).collect())
}

fn norm(row: &Row) -> Norm {
    match row.text("norm") {
        "ortho" => Norm::Ortho,
        "forward" => Norm::Forward,
        _ => Norm::Backward,
    }
}

fn options(row: &Row) -> FftOptions {
    let mut options = FftOptions::default().norm(norm(row));
    if row.has("axes") {
        options = options.axes(row.whole("axes"));
    }
    if row.has("lengths") {
        options = options.lengths(row.counts("lengths"));
    }
    options
}

macro_rules! transforms {
    ($name:ident $real:ty) => {
        /// Fourier transforms: which types have them is no public trait.
        pub fn $name(row: &Row, device: &Device) -> Answer {
            let (x, z) = (|| row.array::<$real>(device, "x"), || row.complex::<$real>(device, "x"));
            let plain = !row.has("axes") && !row.has("lengths");
            match (row.text("what"), row.is_complex()) {
                ("fft", true) if plain => one(z().fft()),
                ("fft", true) => one(z().fft_with(&options(row))),
                ("fft", false) if plain => one(x().fft()),
                ("fft", false) => one(x().fft_with(&options(row))),
                ("ifft", true) => one(z().ifft_with(&options(row))),
                ("ifft", false) => one(x().ifft_with(&options(row))),
                ("rfft", _) => one(x().rfft_with(&options(row))),
                ("irfft", _) if !row.has("axes") => one(z().irfft(row.counts("lengths")[0])),
                ("irfft", _) => one(z().irfft_with(&options(row))),
                ("hfft", _) => one(z().hfft(row.counts("lengths")[0])),
                ("ihfft", _) => one(x().ihfft()),
                _ => None,
            }
        }
    };
}

transforms!(transform_f32 f32);
transforms!(transform_f64 f64);

fn window(row: &Row) -> Window {
    match row.text("window") {
        "rectangular" => Window::Rectangular,
        "hann" => Window::Hann,
        "hamming" => Window::Hamming,
        "blackman" => Window::Blackman,
        _ => Window::Kaiser(row.number("beta")),
    }
}

/// What there is of f32 alone.
pub fn single(row: &Row, device: &Device) -> Answer {
    let x = || row.array::<f32>(device, "x");
    let pieces = || SpectrumOptions::new(row.count("length")).step(row.count("step")).window(window(row));
    let kind = || match row.count("at") {
        1 => CosineKind::I,
        2 => CosineKind::II,
        3 => CosineKind::III,
        _ => CosineKind::IV,
    };
    one(match row.text("what") {
        "dct" => x().dct(kind(), norm(row)),
        "dst" => x().dst(kind(), norm(row)),
        "fftfreq" => Array::fftfreq(device, row.count("at"), row.number("spacing")),
        "rfftfreq" => Array::rfftfreq(device, row.count("at"), row.number("spacing")),
        "stft" => return one(x().stft(&pieces())),
        "power_spectrum" => x().power_spectrum(&pieces(), row.number("rate")),
        _ => return None,
    })
}

fn band(row: &Row) -> Band {
    match (row.text("band"), &row.numbers("bounds")[..]) {
        ("low", &[bound]) => Band::LowPass(bound),
        ("high", &[bound]) => Band::HighPass(bound),
        ("band", &[low, high]) => Band::BandPass(low, high),
        (_, bounds) => Band::BandStop(bounds[0], bounds[1]),
    }
}

/// The response of sections at 65 frequencies up to half the rate, and how many sections there are.
fn response(sos: &[[f64; 6]]) -> Vec<Given> {
    let at = |place: usize| {
        let delay = Complex::from_polar(1.0, -(place as f64) * PI / 64.0);
        let of = |c: &[f64]| (delay * c[2] + c[1]) * delay + c[0];
        sos.iter().map(|section| of(&section[..3]) / of(&section[3..])).product::<Complex<f64>>()
    };
    let values: Vec<f64> = (0..65).map(at).flat_map(|value| [value.re, value.im]).collect();
    vec![Given { shape: vec![65], values }, Given { shape: vec![], values: vec![sos.len() as f64] }]
}

/// What the host computes.
pub fn host(row: &Row) -> Answer {
    let (order, rate) = (|| row.count("order"), || row.number("rate"));
    let values = |values: Vec<f64>| vec![Given::host(values)];
    Some(match row.text("what") {
        "butterworth" => butterworth(order(), band(row), rate()).map(|sos| response(&sos)),
        "chebyshev1" => chebyshev1(order(), row.number("ripple"), band(row), rate()).map(|sos| response(&sos)),
        "firwin" => firwin(order(), band(row), rate(), window(row)).map(values),
        "lfilter_zi" => lfilter_zi(&row.numbers("b"), &row.numbers("a")).map(values),
        "sosfilt_zi" => sosfilt_zi(&sections(row)).map(|states| {
            let shape = vec![states.len(), 2];
            vec![Given { shape, values: states.concat() }]
        }),
        "window" => Ok(values(window(row).values(row.count("length")).into_iter().map(f64::from).collect())),
        _ => return None,
    })
}
