//! Filters of `scipy.ndimage`, and images read elsewhere.

use crate::row::{Answer, Row, element, one, two};
use crosslane::array::{ConvolveMode, ConvolveOptions, Footprint, Gaussian, Pixel, Resampling, Sizes, WarpOptions};
use crosslane::{Array, Device, Number, Ordered, Part};

fn sizes(row: &Row) -> Sizes {
    Sizes::from(row.counts("size")).origin(row.whole("origin"))
}

fn footprint(row: &Row) -> Footprint {
    let mask: Vec<bool> = row.numbers("mask").into_iter().map(|value| value != 0.0).collect();
    let extents = row.shape("mask");
    let all = mask.iter().all(|&own| own);
    let footprint = if all { Footprint::of_box(extents) } else { Footprint::mask(extents, &mask) };
    footprint.origin(row.whole("origin"))
}

/// What any type with an order has.
pub fn ordered<T: Ordered>(row: &Row, device: &Device) -> Answer {
    let x = || row.array::<T>(device, "x");
    let (by, axes) = (|| row.boundaries::<T>(), || row.whole("axes"));
    one(match row.text("what") {
        "minimum" => x().minimum_filter(sizes(row), axes(), by()),
        "maximum" => x().maximum_filter(sizes(row), axes(), by()),
        "erode" => x().erode(&footprint(row), by()),
        "dilate" => x().dilate(&footprint(row), by()),
        "open" => x().open(&footprint(row), by()),
        "close" => x().close(&footprint(row), by()),
        "morphological_gradient" => x().morphological_gradient(&footprint(row), by()),
        "top_hat" => x().top_hat(&footprint(row), by()),
        "black_hat" => x().black_hat(&footprint(row), by()),
        "fftshift" => x().fftshift(axes()),
        "ifftshift" => x().ifftshift(axes()),
        "mode" => return two(x().mode()),
        _ => return None,
    })
}

pub fn number<T: Number>(row: &Row, device: &Device) -> Answer {
    let x = || row.array::<T>(device, "x");
    one(match row.text("what") {
        "rank" => x().rank_filter(row.number("at") as isize, &footprint(row), row.boundaries()),
        "percentile" => x().percentile_filter(row.number("at"), &footprint(row), row.boundaries()),
        _ => return None,
    })
}

fn gaussian(row: &Row) -> Gaussian {
    let mut bell = Gaussian::from(row.numbers("sigma")).order(row.counts("order"));
    if row.has("truncate") {
        bell = bell.truncate(row.numbers("truncate"));
    }
    if row.has("radius") {
        bell = bell.radius(row.counts("radius"));
    }
    bell
}

pub fn mode(row: &Row) -> ConvolveMode {
    match row.text("mode") {
        "full" => ConvolveMode::Full,
        "valid" => ConvolveMode::Valid,
        _ => ConvolveMode::Same,
    }
}

pub fn real<R: Part>(row: &Row, device: &Device) -> Answer {
    let x = || row.array::<R>(device, "x");
    let (by, axes) = (|| row.boundaries::<R>(), || row.whole("axes"));
    let weights = || row.array::<R>(device, "weights");
    let options = || ConvolveOptions::default().boundary(by()).origin(row.whole("origin"));
    let axis = || row.number("axis") as isize;
    one(match row.text("what") {
        "uniform" => x().uniform_filter(sizes(row), axes(), by()),
        "median" => x().median_filter(sizes(row), axes(), by()),
        "gaussian" => x().gaussian_filter(gaussian(row), axes(), by()),
        "sobel" => x().sobel(axis(), by()),
        "prewitt" => x().prewitt(axis(), by()),
        "laplace" => x().laplace(axes(), by()),
        "correlate" => x().correlate_with(&weights(), &options()),
        "convolve" => x().convolve_with(&weights(), &options()),
        "signal_correlate" => x().correlate(&weights(), mode(row)),
        "signal_convolve" => x().convolve(&weights(), mode(row)),
        "fft_correlate" => x().fft_correlate(&weights(), mode(row)),
        "fft_convolve" => x().fft_convolve(&weights(), mode(row)),
        _ => return None,
    })
}

pub fn mask(row: &Row, device: &Device) -> Answer {
    let x = row.array::<bool>(device, "x");
    match row.text("what") {
        "label" => two(x.label(row.count("at"))),
        "distance_transform" => one(x.distance_transform()),
        "distance_transform_taxicab" => one(x.distance_transform_taxicab()),
        "distance_transform_chessboard" => one(x.distance_transform_chessboard()),
        _ => None,
    }
}

pub fn image<T: Pixel>(row: &Row, device: &Device) -> Answer {
    if !row.has("spline") {
        return None;
    }
    let x = row.array::<T>(device, "x");
    let by = if row.count("spline") == 0 { Resampling::Nearest } else { Resampling::Bilinear };
    let options = match row.is_mode("constant") {
        true => WarpOptions::default().by(by).outside(element(row.number("value"))),
        false => WarpOptions::default().by(by).boundary(row.boundaries()[0]),
    };
    let at = |name: &str| {
        let values: Vec<T::Sums> = row.numbers(name).into_iter().map(element).collect();
        Array::from_shape(device, &row.shape(name), &values)
    };
    one(match row.text("what") {
        "remap" => x.remap(&at("columns"), &at("rows"), &options),
        "warp_affine" => x.warp_affine(map(row), size(row), &options),
        "rotate" => x.rotate(row.number("at"), &options),
        "rotate_grown" => x.rotate_grown(row.number("at"), &options),
        _ => return None,
    })
}

fn size(row: &Row) -> [usize; 2] {
    row.counts("size").try_into().expect("rows and columns")
}

fn map(row: &Row) -> [[f64; 3]; 2] {
    let map = row.numbers("map");
    [0, 3].map(|from| [map[from], map[from + 1], map[from + 2]])
}
