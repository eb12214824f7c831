//! Filters with a boundary, a size and an origin for each axis, and derivatives of bells, against SciPy's results, kept in
//! `per_axis.json`, which `per_axis.py` makes.

use super::{array, numbers, shape};
use crate::support::*;
use crosslane::array::{ConvolveOptions, Footprint, Gaussian, PadMode, PerAxis, Sizes};
use crosslane::{Array, DType, Device, Part, assert_close};
use serde_json::Value;

const TABLE: &str = include_str!("per_axis.json");

fn whole(value: &Value) -> Vec<usize> {
    shape(value)
}

fn origins(row: &Value) -> Vec<isize> {
    numbers(&row["origin"]).iter().map(|&origin| origin as isize).collect()
}

fn boundaries<R: Part>(row: &Value) -> Vec<PadMode<R>> {
    let mode = |name: &Value| match name.as_str().unwrap() {
        "constant" => PadMode::Constant(R::rounded(row["value"].as_f64().unwrap())),
        "nearest" => PadMode::Edge,
        "mirror" => PadMode::Reflect,
        "reflect" => PadMode::Symmetric,
        _ => PadMode::Wrap,
    };
    row["modes"].as_array().unwrap().iter().map(mode).collect()
}

fn footprint(row: &Value) -> Footprint {
    let mask: Vec<bool> = row["mask"].as_array().unwrap().iter().map(|own| own.as_bool().unwrap()).collect();
    let extents = whole(&row["extents"]);
    let all = mask.iter().all(|&own| own);
    let footprint = if all { Footprint::of_box(extents) } else { Footprint::mask(extents, &mask) };
    footprint.origin(origins(row))
}

fn gaussian(row: &Value) -> Gaussian {
    let mut bell = Gaussian::from(numbers(&row["sigma"])).order(whole(&row["order"]));
    if row["truncate"].is_array() {
        bell = bell.truncate(numbers(&row["truncate"]));
    }
    if row["radius"].is_array() {
        bell = bell.radius(whole(&row["radius"]));
    }
    bell
}

fn of<R: Part>(device: &Device, value: &Value) -> Array<R> {
    let values: Vec<R> = numbers(&value["values"]).into_iter().map(R::rounded).collect();
    Array::from_shape(device, &shape(&value["shape"]), &values)
}

fn made<R: Part>(device: &Device, row: &Value) -> Array<R> {
    let x: Array<R> = of(device, &row["x"]);
    let by = boundaries::<R>(row);
    let sizes = || Sizes::from(whole(&row["size"])).origin(origins(row));
    let weights = || of::<R>(device, &row["weights"]);
    let options = || ConvolveOptions::default().boundary(by.clone()).origin(origins(row));
    let axis = || row["axis"].as_u64().unwrap() as isize;
    match row["what"].as_str().unwrap() {
        "gaussian" => x.gaussian_filter(gaussian(row), .., by),
        "uniform" => x.uniform_filter(sizes(), .., by),
        "minimum" => x.minimum_filter(sizes(), .., by),
        "maximum" => x.maximum_filter(sizes(), .., by),
        "median" => x.median_filter(sizes(), .., by),
        "sobel" => x.sobel(axis(), by),
        "prewitt" => x.prewitt(axis(), by),
        "laplace" => x.laplace(.., by),
        "correlate" => x.correlate_with(&weights(), &options()),
        "convolve" => x.convolve_with(&weights(), &options()),
        "erode" => x.erode(&footprint(row), by),
        "dilate" => x.dilate(&footprint(row), by),
        "rank" => x.rank_filter(1, &footprint(row), by),
        "percentile" => x.percentile_filter(60.0, &footprint(row), by),
        "grey_opening" => x.open(&footprint(row), by),
        "grey_closing" => x.close(&footprint(row), by),
        "morphological_gradient" => x.morphological_gradient(&footprint(row), by),
        "white_tophat" => x.top_hat(&footprint(row), by),
        "black_tophat" => x.black_hat(&footprint(row), by),
        "binary_erosion" => x.cast::<bool>().erode(&footprint(row), PadMode::Constant(false)).cast(),
        "binary_dilation" => x.cast::<bool>().dilate(&footprint(row), PadMode::Constant(false)).cast(),
        other => panic!("{other}"),
    }
}

fn check<R: Part>(device: &Device, row: &Value, bound: f64) {
    let got = made::<R>(device, row);
    let wanted = numbers(&row["result"]["values"]);
    let mut given = row.clone();
    ["x", "result"].into_iter().for_each(|long| given[long] = row[long]["shape"].clone());
    let what = format!("{given} of {} on {}", R::DTYPE, name(device));
    assert_eq!(got.shape(), shape(&row["result"]["shape"]), "{what}");
    let host: Vec<f64> =
        got.to_vec().unwrap_or_else(|error| panic!("{what}: {error}")).into_iter().map(|x| value(x).float()).collect();
    let apart = host.iter().zip(&wanted).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    assert!(apart <= bound, "{what}: {apart}, {host:?} for {wanted:?}");
}

#[test]
fn as_scipy() {
    let table: Value = serde_json::from_str(TABLE).unwrap();
    let rows = table["rows"].as_array().unwrap();
    for device in drivers() {
        spoil(device);
        let every = if compiles_slowly(device) { 5 } else { 1 };
        for row in rows.iter().step_by(every) {
            // Sums of up to 150 products of numbers up to 4, in f32.
            check::<f32>(device, row, 4e-4);
        }
        if is_checked(device) && has(device, DType::F64) {
            rows.iter().step_by(3).for_each(|row| check::<f64>(device, row, 1e-11));
        }
    }
}

/// One boundary, size and origin for all axes, in all the ways in which they are given, are that of each.
#[test]
fn one_for_all_axes() {
    for device in drivers().take(1) {
        let x = array(device, &[4, 5], &(0..20).map(|i| (i * 7 % 11) as f64).collect::<Vec<f64>>());
        let host = |x: Array<f32>| x.to_vec().unwrap();
        let wanted = host(x.uniform_filter(3, .., PadMode::Wrap));
        let modes = vec![PadMode::Wrap; 2];
        assert_eq!(host(x.uniform_filter([3, 3], .., [PadMode::Wrap; 2])), wanted);
        assert_eq!(host(x.uniform_filter(vec![3, 3], .., &modes[..])), wanted);
        assert_eq!(host(x.uniform_filter(Sizes::from(3).origin([0, 0]), .., PerAxis::from(modes))), wanted);
        // In the order of the axes that are given.
        let turned = x.maximum_filter(Sizes::from([3, 1]).origin([1, 0]), [1, 0], [PadMode::Edge, PadMode::Wrap]);
        assert_eq!(host(turned), host(x.maximum_filter(Sizes::from(3).origin(1), 1, PadMode::Edge)));
        let turned = x.median_filter([3, 1], [1, 0], [PadMode::Constant(1.0), PadMode::Wrap]);
        assert_eq!(host(turned), host(x.median_filter(3, 1, PadMode::Constant(1.0))));
        let turned = x.gaussian_filter(Gaussian::from([1.0, 2.0]).order([1, 0]), [1, 0], PadMode::Edge);
        let one = x.gaussian_filter(Gaussian::from(1.0).order(1), 1, PadMode::Edge);
        assert_eq!(host(turned), host(one.gaussian_filter(2.0, 0, PadMode::Edge)));
        // Local maxima and what is sharpened take what their filters do.
        let peaks = x.local_maxima(Sizes::from([1, 3]).origin([0, 1]), .., [PadMode::Edge, PadMode::Wrap]);
        let greatest = x.maximum_filter(Sizes::from(3).origin(1), 1, PadMode::Wrap);
        assert_eq!(peaks.to_vec().unwrap(), x.equal(&greatest).to_vec().unwrap());
        let modes = [PadMode::Edge, PadMode::Wrap];
        let sharp = x.unsharp_mask(1.0, 0.5, .., modes);
        assert_close(&host(sharp), &host(&x + (&x - x.gaussian_filter(1.0, .., modes)) * 0.5));
    }
}

/// Of windows of an array that is continued along one axis after the other.
#[test]
fn local_statistics_with_two_boundaries() {
    for device in quick() {
        let x = array(device, &[4, 6], &(0..24).map(|i| (i * 7 % 11) as f64).collect::<Vec<f64>>());
        for modes in [[PadMode::Wrap, PadMode::Edge], [PadMode::Constant(2.0), PadMode::Symmetric]] {
            let whole = x.pad(&[(1, 1), (0, 0)], modes[0]).pad(&[(0, 0), (1, 1)], modes[1]);
            let windows = whole.windows(0, 3, 1).windows(1, 3, 1);
            let (mean, variance) = x.local_statistics(3, .., modes);
            assert_close(&mean.to_vec().unwrap(), &windows.mean_axes([-1, -2]).to_vec().unwrap());
            assert_close(&variance.to_vec().unwrap(), &windows.variance_axes([-1, -2], 0).to_vec().unwrap());
        }
    }
}

/// A bilateral filter whose ends are continued along each axis by another rule, on an array that has been continued so.
#[test]
fn bilateral_with_two_boundaries() {
    for device in quick() {
        let x = array(device, &[4, 6], &(0..24).map(|i| (i * 7 % 11) as f64).collect::<Vec<f64>>());
        for modes in [[PadMode::Wrap, PadMode::Edge], [PadMode::Constant(2.0), PadMode::Symmetric]] {
            let whole = x.pad(&[(2, 2), (0, 0)], modes[0]).pad(&[(0, 0), (2, 2)], modes[1]);
            let inner = crosslane::s![2..6, 2..8];
            let wanted = whole.bilateral_filter(5, 3.0, 1.5, PadMode::Edge).slice(inner).to_vec().unwrap();
            assert_close(&x.bilateral_filter(5, 3.0, 1.5, modes).to_vec().unwrap(), &wanted);
        }
    }
}

/// Windows along an axis with values, where another axis has none: nothing, as SciPy gives.
#[test]
fn nothing_beside_the_windows() {
    for device in drivers() {
        for (shape, axis) in [([7, 0], 0), ([0, 7], 1), ([7, 0], -2)] {
            let x = Array::<f32>::ones(device, &shape);
            let edge = PadMode::Edge;
            for (what, got) in [
                ("uniform", x.uniform_filter(15, axis, edge)),
                ("gaussian", x.gaussian_filter(2.0, axis, edge)),
                ("laplace", x.laplace(axis, edge)),
                ("unsharp_mask", x.unsharp_mask(1.0, 0.5, axis, edge)),
                ("minimum", x.minimum_filter(15, axis, edge)),
                ("maximum", x.maximum_filter(3, axis, edge)),
                ("median", x.median_filter(3, axis, edge)),
                ("local_statistics", x.local_statistics(3, axis, edge).1),
                ("savgol_filter", x.savgol_filter(5, 2, 0, axis, None)),
                ("resample", x.resample(7, axis)),
                ("resample_poly", x.resample_poly(1, 1, axis)),
                ("decimate", x.decimate(1, axis)),
                ("lfilter", x.lfilter(&[1.0, 0.5], &[1.0, 0.5], axis)),
                ("rolling_sum", x.rolling_sum(3, axis)),
                ("rolling_median", x.rolling_median(3, axis)),
            ] {
                let what = format!("{what} of {shape:?} along {axis} on {}", name(device));
                assert_eq!(got.shape(), shape, "{what}");
                assert_eq!(got.to_vec().unwrap_or_else(|error| panic!("{what}: {error}")), [0.0; 0], "{what}");
            }
        }
    }
}

#[test]
fn mistakes_are_named() {
    for device in drivers().take(1) {
        let x = Array::<f32>::ones(device, &[3, 4]);
        let text = |result: Array<f32>| result.to_vec().unwrap_err().to_string();
        let edge = PadMode::Edge;
        for (got, wanted) in [
            (
                x.uniform_filter([3, 3, 3], .., edge),
                "uniform_filter: size: wanted one for all axes, or one for each of 2",
            ),
            (x.uniform_filter(3, 0, [edge, edge]), "uniform_filter: boundary: wanted one for all axes"),
            (x.uniform_filter(Sizes::from(3).origin(2), .., edge), "uniform_filter: origin: wanted -1 to 1"),
            (x.uniform_filter(Sizes::from(4).origin(2), .., edge), "uniform_filter: origin: wanted -2 to 1"),
            (x.minimum_filter(Sizes::from(3).origin([0, -2]), .., edge), "minimum_filter: origin: wanted -1 to 1"),
            (x.minimum_filter(Sizes::from(3).origin(isize::MIN), .., edge), "minimum_filter: origin: wanted -1 to 1"),
            (x.median_filter([3, 0], .., edge), "median_filter: size: wanted windows of 1 to 2^28 values, got 0"),
            (x.gaussian_filter([1.0, 0.0], .., edge), "gaussian_filter: sigma: wanted above 0, at most 10^6, got 0"),
            (
                x.gaussian_filter(Gaussian::from(1.0).order(33), .., edge),
                "gaussian_filter: order: wanted 0 to 32, got 33",
            ),
            (
                x.gaussian_filter(Gaussian::from(1.0).truncate(-1.0), .., edge),
                "gaussian_filter: truncate: wanted 0 or more",
            ),
            (
                x.gaussian_filter(Gaussian::from(1.0).truncate(f64::NAN), .., edge),
                "gaussian_filter: truncate: wanted 0",
            ),
            (
                x.gaussian_filter(Gaussian::from(1.0).radius(usize::MAX), .., edge),
                "gaussian_filter: radius: wanted up to",
            ),
            (
                x.gaussian_filter(Gaussian::from(1.0).radius([1]), .., edge),
                "gaussian_filter: radius: wanted one for all",
            ),
            (x.sobel(0, [edge]), "sobel: boundary: wanted one for all axes, or one for each of 2"),
            (x.laplace(0, [edge, edge]), "laplace: boundary: wanted one for all axes"),
            (x.erode(&Footprint::of_box([3]).origin(-2), edge), "erode: origin: wanted -1 to 1"),
            (x.dilate(&Footprint::of_box([3]).origin([0, 0]), edge), "dilate: origin: wanted one for all axes"),
            (x.rank_filter(0, &Footprint::of_box([3]).origin(2), edge), "rank_filter: origin: wanted -1 to 1"),
            (x.bilateral_filter(3, 1.0, 1.0, [edge; 3]), "bilateral_filter: boundary: wanted one for all axes"),
        ] {
            let got = text(got);
            assert!(got.starts_with(wanted), "{got}, wanted {wanted}");
        }
        let weights = Array::<f32>::ones(device, &[4]);
        let options = ConvolveOptions::default();
        let got = text(x.correlate_with(&weights, &options.clone().origin(2)));
        assert!(got.starts_with("correlate_with: origin: wanted -2 to 1"), "{got}");
        assert!(x.convolve_with(&weights, &options.clone().origin(2)).to_vec().is_ok());
        let got = text(x.convolve_with(&weights, &options.clone().boundary([edge, edge])));
        assert!(got.starts_with("convolve_with: boundary: wanted one for all axes"), "{got}");
        let got = text(x.convolve_with(&weights, &options.clone().origin(3)));
        assert!(got.starts_with("convolve_with: origin: wanted -1 to 2"), "{got}");
        let full = options.mode(crosslane::array::ConvolveMode::Full).origin(1);
        let got = text(x.correlate_with(&weights, &full));
        assert!(got.starts_with("correlate_with: origin: wanted 0, as ConvolveMode::Full"), "{got}");
    }
}
