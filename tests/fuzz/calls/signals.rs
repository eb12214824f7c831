//! Calls of images, signals and spectra, with arguments of every size.

use super::{Call, axes, mode, real, shape};
use crate::tape::Tape;
use crosslane::array::{
    ConvolveMode, ConvolveOptions, Footprint, Norm, PeakOptions, Resampling, ResizeOptions, Side, SpectrumOptions,
    WarpOptions, Window, lexsort,
};
use crosslane::{Array, Complex};

pub const SIGNALS: &[Call] = &[
    |x, _, t| Ok(x.erode(&footprint(t), mode(t))),
    |x, _, t| Ok(x.black_hat(&footprint(t), mode(t))),
    |x, _, t| Ok(x.rank_filter(t.number() as isize, &footprint(t), mode(t))),
    |x, _, t| Ok(x.percentile_filter(real(t), &footprint(t), mode(t))),
    |x, _, t| Ok(x.bilateral_filter(t.size(), real(t), real(t), mode(t))),
    |x, _, t| Ok(x.local_statistics(t.size(), axes(t), mode(t)).1),
    |x, _, t| Ok(x.unsharp_mask(real(t), real(t) as f32, axes(t), mode(t))),
    |x, _, t| Ok(x.local_maxima(t.size(), axes(t), mode(t)).cast()),
    |x, _, t| Ok(x.laplace(axes(t), mode(t))),
    |x, _, t| x.threshold_otsu(t.size()).map(|level| Array::full(x.device(), &[], level as f32)),
    |x, _, t| Ok(x.adaptive_threshold_mean(t.size(), real(t)).cast()),
    |x, _, t| Ok(x.adaptive_threshold_gaussian(t.size(), real(t)).cast()),
    |x, y, t| Ok(x.convolve_with(y, &convolve(t))),
    |x, _, t| {
        Ok(x.resize([t.size(), t.size()], &ResizeOptions::default().by(resampling(t)).axes([t.number() as isize, -1])))
    },
    |x, _, t| Ok(x.rotate(real(t), &warp(t))),
    |x, _, t| Ok(x.rotate_grown(real(t), &warp(t))),
    |x, _, t| Ok(x.warp_affine([[real(t), 0.5, real(t)], [0.1, real(t), real(t)]], [t.size(), t.size()], &warp(t))),
    |x, _, t| {
        Ok(x.warp_perspective([[1.0, real(t), 0.0], [0.0, 1.0, 0.0], [real(t), 0.0, real(t)]], [t.size(), 3], &warp(t)))
    },
    |x, y, t| Ok(x.remap(y, y, &warp(t))),
    |x, _, t| {
        Ok(x.cast::<u8>().clahe(real(t), [t.size(), t.size()], [t.number() as isize, t.number() as isize]).cast())
    },
    |x, _, t| Ok(x.cast::<u8>().histogram_equalise([t.number() as isize, t.number() as isize]).cast()),
    |x, _, t| Ok(x.normalise_channels(&t.several(3, real), &t.several(3, real), t.number() as isize)),
    |x, _, t| Ok(x.rgb_to_lab(t.number() as isize)),
    |x, _, t| Ok(x.gray_to_rgb(t.number() as isize)),
    |x, _, t| Ok(x.adjust_gamma(real(t))),
    |x, _, t| x.find_peaks(&PeakOptions::default().height(real(t)).distance(real(t))).map(|_| x.clone()),
    |x, _, t| Ok(x.stft(&spectrum(t)).istft(&spectrum(t))),
    |x, _, t| Ok(x.power_spectrum(&spectrum(t), real(t))),
    |x, _, t| Ok(x.cast::<Complex<f32>>().hfft(t.size())),
    |x, _, _| Ok(x.ihfft().real()),
    |x, _, t| Ok(x.dst(t.one(&[Default::default()]), Norm::Forward)),
    |x, y, _| Ok(x.fft_convolve(y, Default::default())),
    |x, _, _| Ok(x.analytic_signal().imag()),
    |x, y, t| Ok(x.fft_correlate(y, Default::default()).roll(t.number() as isize)),
    |x, _, t| Ok(x.digitize(&t.several(4, |t| real(t) as f32), Side::Right).cast()),
    |x, _, t| Ok(x.histogram_edges(&t.several(4, |t| real(t) as f32)).cast()),
    |x, _, t| x.histogramdd(&shape(t), &[real(t)..real(t), real(t)..real(t)]).map(|(counts, _)| counts.cast()),
    |x, y, _| lexsort(&[x, y]).map(|order| order.cast()),
    |x, y, _| Ok(x.sort_pairs(y).1),
    |x, _, t| Ok(x.argpartition(t.size(), t.number() as isize).cast()),
    |x, _, _| Ok(x.to_host()?.to_device(x.device())),
    |x, y, t| Ok(x.lfilter_from(&t.several(3, real), &t.several(3, real), t.number() as isize, y).0),
    |x, _, t| Ok(x.sosfilt(&[[real(t), real(t), 0.0, 1.0, real(t), 0.0]], t.number() as isize)),
];

fn footprint(t: &mut Tape) -> Footprint {
    match t.below(4) {
        0 => Footprint::of_box(shape(t)),
        1 => Footprint::cross(t.size()),
        2 => Footprint::disk(t.size()),
        _ => Footprint::mask(shape(t), &t.several(9, |t| t.below(2) == 1)),
    }
}

fn convolve(t: &mut Tape) -> ConvolveOptions<f32> {
    let options = ConvolveOptions::default().steps(shape(t)).dilations(shape(t)).boundary(mode(t));
    options.mode(t.one(&[ConvolveMode::Full, ConvolveMode::Same, ConvolveMode::Valid]))
}

fn resampling(t: &mut Tape) -> Resampling {
    t.one(&[Resampling::Nearest, Resampling::Bilinear, Resampling::Bicubic, Resampling::Lanczos, Resampling::Area])
}

fn warp(t: &mut Tape) -> WarpOptions<f32> {
    WarpOptions::default().by(resampling(t)).boundary(mode(t)).axes([t.number() as isize, t.number() as isize])
}

fn spectrum(t: &mut Tape) -> SpectrumOptions {
    SpectrumOptions::new(t.size()).step(t.size()).window(t.one(&[
        Window::Hann,
        Window::Kaiser(1e300),
        Window::Rectangular,
    ]))
}
