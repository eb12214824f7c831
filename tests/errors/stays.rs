//! What an array of an error gives, whatever is asked of it, is that error: never an empty result.

use crosslane::array::{
    ConvOptions, ConvolveMode, CosineKind, Footprint, Norm, OutOfRange, PadMode, PeakOptions, ResizeOptions, Side,
    SpectrumOptions, WarpOptions,
};
use crosslane::{Array, Device, Element, Result, Scan, Selected, Stencil, s};
#[test]
fn an_error_stays_whatever_is_done() {
    type Made = (&'static str, fn(&Array<f32>) -> Result<()>);
    macro_rules! all {
        ($($call:expr,)*) => {
            vec![$((stringify!($call), |x| {
                fn of<R: Kept>(call: impl Fn(&Array<f32>) -> R, x: &Array<f32>) -> Result<()> {
                    call(x).kept()
                }
                of($call, x)
            })),*]
        };
    }
    trait Kept {
        fn kept(self) -> Result<()>;
    }
    impl<T: Element> Kept for Array<T> {
        fn kept(self) -> Result<()> {
            self.to_vec().map(drop)
        }
    }
    impl<T: Element> Kept for Result<Array<T>> {
        fn kept(self) -> Result<()> {
            self?.kept()
        }
    }
    impl<T: Element> Kept for Result<Vec<Array<T>>> {
        fn kept(self) -> Result<()> {
            self?.into_iter().try_for_each(Kept::kept)
        }
    }
    impl<T: Element, U: Element> Kept for (Array<T>, Array<U>) {
        fn kept(self) -> Result<()> {
            assert!(self.1.to_vec().is_err(), "the second");
            self.0.kept()
        }
    }
    impl<T: Element> Kept for Selected<T> {
        fn kept(self) -> Result<()> {
            assert!(self.count().is_err(), "the count");
            self.to_array().map(drop)
        }
    }
    let calls: Vec<Made> = all![
        |x| x.copy(),
        |x| x + x,
        |x| -x,
        |x| x.exp(),
        |x| x.equal(x),
        |x| x.cast::<u32>(),
        |x| x.is_nan().select(x, 0.0),
        |x| x.clamp(0.0, 1.0),
        |x| x.reshape(&[0]),
        |x| x.reshape(&[-1]),
        |x| x.flatten(),
        |x| x.transpose(),
        |x| x.flip(0),
        |x| x.slice(s![..]),
        |x| x.slice(s![..;2]),
        |x| x.expand_dims(0),
        |x| x.squeeze(),
        |x| x.broadcast_to(&[3, 0]),
        |x| x.windows(0, 2, 1),
        |x| x.roll(3),
        |x| x.tile(&[2]),
        |x| x.repeat_axis(2, 0),
        |x| x.diagonal(0, 0, 1),
        |x| x.triu(0),
        |x| x.pad(&[(1, 1)], PadMode::Constant(0.0)),
        |x| Array::concatenate(&[x, x], 0),
        |x| Array::stack(&[x, x], 0),
        |x| x.split(2, 0),
        |x| x.sum(),
        |x| x.sum_axes(0),
        |x| x.mean(),
        |x| x.std(0),
        |x| x.variance_axes(0, 1),
        |x| x.norm(),
        |x| x.min(),
        |x| x.arg_max(),
        |x| x.any(),
        |x| x.count_nonzero(),
        |x| x.nan_sum(),
        |x| x.nan_mean(),
        |x| x.softmax(-1),
        |x| x.logsumexp(-1),
        |x| x.layer_norm(-1, None, None, 1e-5),
        |x| x.mean_variance(0, 0),
        |x| x.cumsum(0),
        |x| x.cumprod(-1),
        |x| x.cummin(0),
        |x| x.cummax(0),
        |x| Scan::sum().call::<f32, f32>(x),
        |x| x.reduce("a + b", 0.0),
        |x| x.diff(1, 0),
        |x| x.histogram(4, 0.0..1.0).map(|made| made.0),
        |x| x.quantile(0.5),
        |x| x.median(),
        |x| x.sort(),
        |x| x.argsort(),
        |x| x.sort_pairs(x),
        |x| x.top_k(1),
        |x| x.nth(0),
        |x| x.unique(),
        |x| x.searchsorted(x, Side::Left),
        |x| x.compress(&x.greater(0.0)),
        |x| x.nonzero(),
        |x| x.partition(&x.greater(0.0)),
        |x| x.take(&x.cast::<u32>(), OutOfRange::Drop),
        |x| x.take_axis(&x.cast::<u32>(), 0, OutOfRange::Drop),
        |x| x.scatter_add(&x.cast::<u32>(), x, OutOfRange::Drop),
        |x| x.matmul(x),
        |x| x.dot(x),
        |x| x.outer(x),
        |x| x.fft(),
        |x| x.rfft(),
        |x| x.dct(CosineKind::II, Norm::Ortho),
        |x| x.fftshift(0),
        |x| x.power_spectrum(&SpectrumOptions::new(4), 1.0),
        |x| x.fft_convolve(x, ConvolveMode::Full),
        |x| x.convolve(x, ConvolveMode::Full),
        |x| x.gaussian_filter(1.0, 0, PadMode::Reflect),
        |x| x.median_filter(3, 0, PadMode::Reflect),
        |x| x.minimum_filter(3, 0, PadMode::Reflect),
        |x| x.erode(&Footprint::of_box([3]), PadMode::Reflect),
        |x| x.rolling_sum(3, 0),
        |x| x.rolling_median(3, 0),
        |x| x.sobel(0, PadMode::Reflect),
        |x| x.resize([4, 4], &ResizeOptions::default()),
        |x| x.rotate(10.0, &WarpOptions::default()),
        |x| x.lfilter(&[1.0], &[1.0], 0),
        |x| x.resample(4, 0),
        |x| x.find_peaks(&PeakOptions::default()).map(|_| x.copy()),
        |x| x.conv(x, &ConvOptions::default()),
        |x| Stencil::new("u").unwrap().run(x, 1, PadMode::Wrap),
        |x| x.to_device(&Device::cpu().unwrap()),
    ];
    let mut wrong = vec![];
    for device in [Device::cpu().unwrap()] {
        let x = Array::from_shape(&device, &[3], &[1.0f32, 2.0]);
        let original = x.to_vec().unwrap_err().to_string();
        for (what, call) in &calls {
            match call(&x) {
                Ok(()) => wrong.push(format!("{what}: Ok")),
                Err(error) if error.to_string() != original => wrong.push(format!("{what}: {error}")),
                Err(_) => {}
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
