//! Calls that compute, with arguments of every size.

use super::{Call, axes, mode, real, shape};
use crosslane::Array;
use crosslane::array::{
    ConvOptions, ConvolveMode, CosineKind, FftOptions, Norm, ResizeOptions, Side, SortOptions, SpectrumOptions,
    TopKOptions, einsum,
};

pub const NUMBERS: &[Call] = &[
    |x, y, _| Ok(x + y),
    |x, y, _| Ok(x * y - 1.0),
    |x, y, _| Ok(x / y),
    |x, y, _| Ok(x.maximum(y)),
    |x, y, _| Ok(x.greater(y).select(x, y)),
    |x, y, _| Ok(x.clamp(y, 3.0)),
    |x, _, _| Ok(x.cast::<u8>().cast()),
    |x, _, _| Ok(x.sqrt().exp()),
    |x, _, t| Ok(x.sum_axes(axes(t))),
    |x, _, t| Ok(x.mean_axes(axes(t).keep_dims())),
    |x, _, t| Ok(x.variance_axes(axes(t), t.size())),
    |x, _, t| Ok(x.max_axes(axes(t))),
    |x, _, t| Ok(x.arg_max_axes(axes(t)).cast()),
    |x, _, t| Ok(x.cumsum(t.number() as isize)),
    |x, _, t| Ok(x.softmax(t.number() as isize)),
    |x, _, t| Ok(x.logsumexp(axes(t))),
    |x, y, t| Ok(x.layer_norm(axes(t), Some(y), None, real(t))),
    |x, y, _| Ok(x.matmul(y)),
    |x, y, _| Ok(x.dot(y)),
    |x, y, _| Ok(x.outer(y)),
    |x, y, t| Ok(x.tensordot(y, axes(t), axes(t))),
    |x, y, _| Ok(x.kron(y)),
    |x, y, _| Ok(x.cross(y)),
    |x, _, t| Ok(x.matrix_power(t.size() as u32)),
    |x, y, t| {
        einsum(
            t.one(&["ij,jk->ik", "ij->ji", "i,j->ij", "ii->i", "ii->", "...i,i", "ij,ij", "", "->", "i,->"]),
            &[x, y],
        )
    },
    |x, _, t| Ok(x.trace(t.number() as isize, t.number() as isize, t.number() as isize)),
    |x, _, t| Ok(x.sort_axis(t.number() as isize)),
    |x, _, t| Ok(x.argsort_with(&SortOptions::default().axis(t.number() as isize).descending()).cast()),
    |x, _, t| Ok(x.sort_with(&SortOptions::default().bits(t.size() as u32..t.size() as u32))),
    |x, _, t| Ok(x.top_k(t.size()).0),
    |x, _, t| Ok(x.top_k_with(t.size(), &TopKOptions::default().axis(t.number() as isize).smallest()).1.cast()),
    |x, _, t| Ok(x.nth_axis(t.size(), t.number() as isize)),
    |x, _, t| Ok(x.partition_nth(t.size(), t.number() as isize)),
    |x, _, t| Ok(x.quantile(real(t))),
    |x, _, t| Ok(x.median_axis(t.number() as isize)),
    |x, _, t| Ok(x.quantiles(&t.several(3, real))),
    |x, _, _| x.unique().to_array(),
    |x, y, _| Ok(x.searchsorted(y, Side::Left).cast()),
    |x, y, _| Ok(x.is_in(y).cast()),
    |x, y, _| x.union(y).to_array(),
    |x, y, _| Ok(x.merge(y)),
    |x, _, t| x.histogram(t.size(), real(t)..real(t)).map(|(counts, _)| counts.cast()),
    |x, y, t| x.histogram2d(y, [t.size(), t.size()], [real(t)..real(t), real(t)..real(t)]).map(|(c, _)| c.cast()),
    |x, _, t| x.histogram_of_all(t.size()).map(|(counts, _)| counts.cast()),
    |x, _, t| Ok(x.abs().cast::<u32>().bincount(t.size()).cast()),
    |x, y, t| Ok(x.abs().cast::<u32>().bincount_weights(y, t.size())),
    |x, _, t| Ok(x.diff(t.size(), t.number() as isize)),
    |x, _, t| Ok(x.gradient(real(t) as f32, t.number() as isize)),
    |x, y, t| Ok(x.gradient_at(y, t.number() as isize)),
    |x, _, t| Ok(x.covariance(t.size())),
    |x, _, _| Ok(x.correlation()),
    |x, y, t| Ok(x.average_axes(y, axes(t))),
    |x, _, _| Ok(x.mode().0),
    |x, y, _| Ok(x.interp(y, y)),
    |x, y, t| Ok(x.convolve(y, convolve_mode(t))),
    |x, y, t| Ok(x.conv(y, &conv(t))),
    |x, y, t| Ok(x.conv_transposed(y, &conv(t))),
    |x, y, t| Ok(x.conv_gradient(y, &shape(t), &conv(t))),
    |x, y, t| Ok(x.conv_weights_gradient(y, &shape(t), &conv(t))),
    |x, _, t| Ok(x.gaussian_filter(real(t), axes(t), mode(t))),
    |x, _, t| Ok(x.uniform_filter(t.size(), axes(t), mode(t))),
    |x, _, t| Ok(x.median_filter(t.size(), axes(t), mode(t))),
    |x, _, t| Ok(x.maximum_filter(t.size(), axes(t), mode(t))),
    |x, _, t| Ok(x.sobel(t.number() as isize, mode(t))),
    |x, _, t| Ok(x.max_pool(shape(t), shape(t), shape(t))),
    |x, _, t| Ok(x.average_pool(shape(t), shape(t), shape(t))),
    |x, _, t| Ok(x.adaptive_average_pool(shape(t))),
    |x, _, t| Ok(x.rolling_sum(t.size(), t.number() as isize)),
    |x, _, t| Ok(x.rolling_median(t.size(), t.number() as isize)),
    |x, _, t| Ok(x.rolling_variance(t.size(), t.number() as isize, t.size())),
    |x, _, _| Ok(x.integral_image()),
    |x, _, t| Ok(x.greater(0.0).label(t.size()).0.cast()),
    |x, _, _| Ok(x.greater(0.0).distance_transform()),
    |x, _, t| Ok(x.canny(real(t), real(t) as f32, real(t) as f32).cast()),
    |x, _, t| Ok(x.resize([t.size(), t.size()], &ResizeOptions::default())),
    |x, _, t| Ok(x.rgb_to_gray(t.number() as isize)),
    |x, _, t| Ok(x.rfft().irfft(t.size())),
    |x, _, t| Ok(x.fft_with(&fft(t)).real()),
    |x, _, t| Ok(x.rfft_with(&fft(t)).imag()),
    |x, _, t| Ok(x.dct(t.one(&[CosineKind::I, CosineKind::II, CosineKind::III, CosineKind::IV]), Norm::Ortho)),
    |x, _, t| Ok(x.stft(&SpectrumOptions::new(t.size()).step(t.size())).norm()),
    |x, _, t| Ok(x.fftshift(axes(t))),
    |x, _, t| Ok(Array::fftfreq(x.device(), t.size(), real(t))),
    |x, _, t| Ok(x.resample(t.size(), t.number() as isize)),
    |x, _, t| Ok(x.resample_poly(t.size(), t.size(), t.number() as isize)),
    |x, _, t| Ok(x.decimate(t.size(), t.number() as isize)),
    |x, _, t| Ok(x.savgol_filter(t.size(), t.size(), t.size(), t.number() as isize, Some(mode(t)))),
    |x, _, t| Ok(x.lfilter(&t.several(4, real), &t.several(4, real), t.number() as isize)),
    |x, _, t| Ok(x.filtfilt(&t.several(4, real), &t.several(4, real), t.number() as isize)),
    |x, y, _| Ok(x.sort_segments(&y.abs().cast::<u32>().sort())),
    |x, y, _| x.group_by(y).mean().1.to_array(),
    |x, y, _| Ok(x.run_lengths().1.or(0).cast::<f32>() + y),
    |x, _, t| Ok(x.decimate_iir(t.size(), t.number() as isize)),
];

fn convolve_mode(t: &mut crate::tape::Tape) -> ConvolveMode {
    t.one(&[ConvolveMode::Full, ConvolveMode::Same, ConvolveMode::Valid])
}

fn conv(t: &mut crate::tape::Tape) -> ConvOptions {
    let options = ConvOptions::default().padding(t.several(2, |t| (t.size(), t.size()))).steps(shape(t));
    let options = options.dilations(shape(t)).groups(t.size());
    if t.below(2) == 1 { options.channels_last() } else { options }
}

fn fft(t: &mut crate::tape::Tape) -> FftOptions {
    let options = FftOptions::default().axes(t.several(3, |t| t.number() as isize));
    if t.below(2) == 1 { options.lengths(shape(t)) } else { options }
}
