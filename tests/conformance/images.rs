//! Images against the results of Pillow, OpenCV and SciPy, kept in `images.json`, and against definitions.

use crate::support::*;
use crosslane::array::{ColourMap, PadMode, Pixel, Resampling, ResizeOptions, WarpOptions};
use crosslane::{Array, DType, Device, Element, Part, f16};
use rand::{Rng, SeedableRng, rngs::StdRng};
use serde_json::Value;
use std::sync::LazyLock;

static TABLE: LazyLock<Value> =
    LazyLock::new(|| serde_json::from_str(include_str!("images.json")).expect("the file is JSON"));

fn rows(part: &str) -> &'static [Value] {
    TABLE[part].as_array().expect("a list")
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().expect("a list").iter().map(|number| number.as_f64().expect("a number")).collect()
}

fn shape(value: &Value) -> Vec<usize> {
    numbers(value).iter().map(|&extent| extent as usize).collect()
}

fn size(value: &Value) -> [usize; 2] {
    shape(value).try_into().expect("rows and columns")
}

fn array<R: Part>(device: &Device, shape: &[usize], values: &[f64]) -> Array<R> {
    Array::from_shape(device, shape, &values.iter().map(|&value| R::rounded(value)).collect::<Vec<R>>())
}

fn bytes(device: &Device, shape: &[usize], values: &[f64]) -> Array<u8> {
    Array::from_shape(device, shape, &values.iter().map(|&value| value as u8).collect::<Vec<u8>>())
}

fn floats<T: Element>(array: &Array<T>) -> Vec<f64> {
    array.to_vec().unwrap().iter().map(|value| value.scalar().to_f64()).collect()
}

/// The largest distance of values from those wanted.
fn apart<T: Element>(got: &Array<T>, wanted: &[f64]) -> f64 {
    let got = floats(got);
    assert_eq!(got.len(), wanted.len());
    got.iter()
        .zip(wanted)
        .map(|(a, b)| if a == b { 0.0 } else { (a - b).abs() })
        .fold(0.0, |a, b| if b > a || b.is_nan() { b } else { a })
}

fn resampling(value: &Value) -> Resampling {
    match value.as_str().unwrap() {
        "nearest" => Resampling::Nearest,
        "bilinear" => Resampling::Bilinear,
        "bicubic" => Resampling::Bicubic,
        "lanczos" => Resampling::Lanczos,
        "area" => Resampling::Area,
        other => panic!("{other}"),
    }
}

fn boundary<R>(value: &Value, constant: R) -> PadMode<R> {
    match value.as_str().unwrap() {
        "constant" => PadMode::Constant(constant),
        "edge" => PadMode::Edge,
        "reflect" => PadMode::Reflect,
        "symmetric" => PadMode::Symmetric,
        "wrap" => PadMode::Wrap,
        other => panic!("{other}"),
    }
}

/// One row in so many on drivers that compile slowly.
fn some<'a>(device: &Device, rows: &'a [Value]) -> impl Iterator<Item = &'a Value> {
    let every = if compiles_slowly(device) { 5 } else { 1 };
    say(&format!("images: {} of {} rows on {}", rows.len().div_ceil(every), rows.len(), name(device)));
    rows.iter().step_by(every)
}

#[test]
fn sizes_as_pillow_and_opencv() {
    for device in devices() {
        for row in some(device, rows("resize")) {
            let options =
                ResizeOptions::default().by(resampling(&row["by"])).antialias(row["antialias"].as_bool().unwrap());
            let (from, values, size) = (shape(&row["shape"]), numbers(&row["x"]), size(&row["size"]));
            let wanted = numbers(&row["result"]);
            // Pillow rounds bytes after each axis. Of floats up to 4 it sums in f32 as this does, and the table has 5 decimals.
            let (far, bound) = match row["dtype"].as_str().unwrap() {
                "u8" => (apart(&bytes(device, &from, &values).resize(size, &options), &wanted), 1.0),
                _ => (apart(&array::<f32>(device, &from, &values).resize(size, &options), &wanted), 2e-5),
            };
            if device.caps().f64 && bound < 1.0 {
                let far = apart(&array::<f64>(device, &from, &values).resize(size, &options), &wanted);
                assert!(far <= bound, "f64: {} of {from:?} to {size:?} on {}: {far}", row["by"], name(device));
            }
            let what = format!("{} of {from:?} to {size:?} as {} on {}", row["by"], row["source"], name(device));
            assert!(far <= bound, "{what}: {far}");
        }
    }
}

/// The share of a pixel in each result, as a matrix: of the area alone, which needs no table of ours.
fn area(from: usize, to: usize) -> Vec<Vec<f64>> {
    let share = |result: usize, pixel: usize| {
        let (start, end) = ((result * from).max(pixel * to), ((result + 1) * from).min((pixel + 1) * to));
        end.saturating_sub(start) as f64 / from as f64
    };
    (0..to).map(|result| (0..from).map(|pixel| share(result, pixel)).collect()).collect()
}

/// Images side by side in every layout are resized as each alone, in all types.
#[test]
fn layouts_and_types() {
    fn check<T: Pixel>(device: &Device, of: impl Fn(f64) -> T, precision: f64) {
        let mut random = StdRng::seed_from_u64(5);
        let (height, width, to) = (11usize, 16, [7usize, 12]);
        let host: Vec<f64> = (0..2 * 3 * height * width).map(|_| random.random_range(0..=255) as f64).collect();
        let planar =
            Array::from_shape(device, &[2, 3, height, width], &host.iter().map(|&value| of(value)).collect::<Vec<T>>());
        let options = ResizeOptions::default().by(Resampling::Area);
        let (down, along) = (area(height, to[0]), area(width, to[1]));
        let mut wanted = vec![];
        for image in host.chunks(height * width) {
            for rows in &down {
                for columns in &along {
                    let row = |y: usize| (0..width).map(|x| columns[x] * image[y * width + x]).sum::<f64>();
                    wanted.push((0..height).map(|y| rows[y] * row(y)).sum::<f64>());
                }
            }
        }
        let bound = if precision == 0.0 { 0.5001 } else { precision };
        let what = |layout: &str| format!("{layout} of {} on {}", T::DTYPE, name(device));
        let result = planar.resize(to, &options);
        assert_eq!(result.shape(), [2, 3, 7, 12]);
        assert!(apart(&result, &wanted) <= bound, "{}", what("planar"));
        let between = planar.move_axis(1, -1).resize(to, &options.clone().interleaved());
        assert_eq!(between.shape(), [2, 7, 12, 3]);
        assert!(apart(&between.move_axis(-1, 1), &wanted) <= bound, "{}", what("interleaved"));
        // Interleaved in memory, with rows that fill no words.
        let copy = planar.move_axis(1, -1).copy();
        let odd = copy.resize([7, 5], &options.clone().interleaved());
        let apart_from = floats(&planar.resize([7, 5], &options).move_axis(1, -1));
        assert!(apart(&odd, &apart_from) <= 1e-3, "{}", what("odd rows"));
        let turned = planar.permute([3, 0, 2, 1]).resize(to, &options.axes([2, 0]));
        assert_eq!(turned.shape(), [12, 2, 7, 3]);
        assert!(apart(&turned.permute([1, 3, 2, 0]), &wanted) <= bound, "{}", what("turned"));
    }
    for device in quick() {
        check(device, |value| value as f32, 255.0 * 4e-6);
        match device.caps().f64 {
            true => check(device, |value| value, 255.0 * 1e-14),
            false => say(&format!("f64 images are not tested on {}, which has none", name(device))),
        }
        check(device, |value| value as u8, 0.0);
        check(device, |value| (value * 256.0) as u16 / 256, 0.0);
        match device.caps().f16 {
            true => check(device, f16::from_f64, 0.13),
            false => say(&format!("f16 images are not tested on {}, which has none", name(device))),
        }
    }
}

#[test]
fn sizes_fuse_with_what_is_before_and_after() {
    for device in quick() {
        let image = Array::from_shape(device, &[8, 8], &(0..64).collect::<Vec<u8>>());
        let half =
            ((image.cast::<f32>() / 2.0).resize([4, 4], &ResizeOptions::default().by(Resampling::Area)) + 1.0).sqrt();
        assert_eq!(half.explain().unwrap().steps.len(), 1, "{}", half.explain().unwrap());
        // The middle of pixels 0, 1, 8, 9 is 4.5.
        assert!((half.to_vec().unwrap()[0] - (4.5f32 / 2.0 + 1.0).sqrt()).abs() < 1e-6);
        let long = image.resize([3, 1], &ResizeOptions::default().by(Resampling::Lanczos));
        assert_eq!(long.shape(), [3, 1]);
        // Functions in what is resized, where results are packed into words.
        let roots = (image.cast::<f32>().sqrt() * 4.0).round().cast::<u8>();
        let small = roots.resize([4, 8], &ResizeOptions::default().by(Resampling::Nearest));
        assert_eq!(small.explain().unwrap().steps.len(), 1);
        let wanted: Vec<u8> =
            (0..64).filter(|at| at / 8 % 2 == 1).map(|at| ((at as f32).sqrt() * 4.0).round() as u8).collect();
        assert_eq!(small.to_vec().unwrap(), wanted, "on {}", name(device));
        let (y, x) = (device.array([0.0f32, 0.5, 1.0, 0.5]).reshape(&[4, 1]), device.array([0.0f32, 1.0, 2.0, 3.0]));
        let waves = roots.remap(&x, &(y * std::f32::consts::PI).sin().round(), &WarpOptions::default());
        let wanted: Vec<u8> = [0, 1, 0, 1]
            .iter()
            .flat_map(|row| (0..4).map(move |x| ((row * 8 + x) as f32).sqrt()))
            .map(|root| (root * 4.0).round() as u8)
            .collect();
        assert_eq!(waves.to_vec().unwrap(), wanted, "on {}", name(device));
        // No number and infinity stay within a window.
        let mut host = vec![1.0f32; 40];
        host[30] = f32::INFINITY;
        let line =
            Array::from_shape(device, &[1, 40], &host).resize([1, 80], &ResizeOptions::default()).to_vec().unwrap();
        assert!(line.iter().enumerate().all(|(at, value)| value.is_finite() || (57..=64).contains(&at)), "{line:?}");
        assert!((59..=62).all(|at| !line[at].is_finite()), "{line:?} on {}", name(device));
        // One column, one pixel.
        let column = Array::from_shape(device, &[10, 2], &(10..30).collect::<Vec<u8>>());
        let options = ResizeOptions::default().by(Resampling::Area);
        assert_eq!(column.resize([5, 1], &options).to_vec().unwrap(), [12, 16, 20, 24, 28], "on {}", name(device));
        assert_eq!(column.resize([1, 1], &options).to_vec().unwrap(), [20], "on {}", name(device));
        let turned = column.rotate_grown(90.0, &WarpOptions::default()).slice(&[(..1).into()]).resize([1, 1], &options);
        assert_eq!(turned.to_vec().unwrap(), [20], "on {}", name(device));
        // Past every end.
        let bright = Array::from_shape(device, &[1, 4], &[0u8, 255, 255, 0]);
        let sharp = bright.resize([1, 8], &ResizeOptions::default().by(Resampling::Lanczos)).to_vec().unwrap();
        assert!(sharp.contains(&255) && sharp[0] == 0, "{sharp:?} on {}", name(device));
    }
}

fn warped<R: Pixel<Sums = R> + Part>(device: &Device, row: &Value) -> Array<R> {
    let image = array::<R>(device, &shape(&row["shape"]), &numbers(&row["x"]));
    let outside = R::rounded(row["value"].as_f64().unwrap());
    let options = WarpOptions::default().by(resampling(&row["by"])).boundary(boundary(&row["boundary"], outside));
    let (args, size) = (numbers(&row["args"]), size(&row["size"]));
    let line = |nth: usize| [args[3 * nth], args[3 * nth + 1], args[3 * nth + 2]];
    match row["what"].as_str().unwrap() {
        "remap" => {
            let (x, y) = args.split_at(size[0] * size[1]);
            image.remap(&array(device, &size, x), &array(device, &size, y), &options)
        }
        "affine" => image.warp_affine([line(0), line(1)], size, &options),
        "perspective" => image.warp_perspective([line(0), line(1), line(2)], size, &options),
        "rotate" => image.rotate(args[0], &options),
        "rotate_grown" => image.rotate_grown(args[0], &options),
        other => panic!("{other}"),
    }
}

#[test]
fn warps_as_scipy() {
    for device in devices() {
        for row in some(device, rows("warp")) {
            let got = warped::<f32>(device, row);
            let what = format!(
                "{} of {} by {}, {} on {}",
                row["what"],
                row["shape"],
                row["by"],
                row["boundary"],
                name(device)
            );
            assert_eq!(got.shape(), shape(&row["size"]), "{what}");
            // Pixels are up to 8 apart, and coordinates of size 16, which a perspective map divides, are off by 1e-6 each.
            let far = apart(&got, &numbers(&row["result"]));
            assert!(far <= 1e-4, "{what}: {far}, {:?}", got.to_vec());
            if device.caps().f64 {
                let far = apart(&warped::<f64>(device, row), &numbers(&row["result"]));
                // The table's decimals.
                assert!(far <= 6e-6, "f64: {what}: {far}");
            }
        }
    }
}

#[test]
fn warps_of_every_layout_in_one_launch() {
    for device in quick() {
        let host: Vec<u8> = (0..2 * 4 * 8 * 3).map(|i| (i * 37 % 251) as u8).collect();
        let colours = Array::from_shape(device, &[2, 4, 8, 3], &host);
        let options = WarpOptions::default().by(Resampling::Nearest).interleaved();
        let turned = colours.rotate_grown(90.0, &options);
        assert_eq!(turned.shape(), [2, 8, 4, 3]);
        assert_eq!(turned.explain().unwrap().steps.len(), 1);
        assert_eq!(turned.to_vec().unwrap(), colours.rot90(1, 1, 2).to_vec().unwrap(), "on {}", name(device));
        let planes = colours.move_axis(-1, 1).rotate(180.0, &WarpOptions::default().by(Resampling::Bilinear));
        assert_eq!(planes.to_vec().unwrap(), colours.move_axis(-1, 1).flip([-1, -2]).to_vec().unwrap());
        // Coordinates of each image, and those that are no numbers.
        let x = Array::from_shape(device, &[2, 1, 3], &[0.0f32, f32::NAN, 1e30, 1.0, f32::INFINITY, -1e30]);
        let y = Array::<f32>::zeros(device, &[1, 1]);
        let edge = WarpOptions::default().boundary(PadMode::Edge).interleaved();
        let got = colours.remap(&x, &y, &edge).to_vec().unwrap();
        let at = |image: usize, x: usize| host[(image * 32 + x) * 3..][..3].to_vec();
        let wanted = [at(0, 0), vec![0; 3], at(0, 7), at(1, 1), at(1, 7), at(1, 0)].concat();
        assert_eq!(got, wanted, "on {}", name(device));
    }
}

/// `rotate`, `affine_transform` and `map_coordinates` of SciPy 1.17.1 with `mode="constant", cval=-1`.
#[test]
fn past_the_edges_a_value_alone() {
    let host = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 10.0];
    let turned = [-1.0, 2.901924, -1.0, 2.633975, 5.0, 7.799038, -1.0, 7.098076, -1.0];
    let inner = [2.767949, 5.133975, 4.866025, 7.357051];
    let moved = [-1.0, -1.0, -1.0, -1.0, 2.0, 2.75, 3.5, -1.0, 4.25, 5.0, 5.75, -1.0, 6.5, 7.25, 8.5625, -1.0];
    for device in drivers() {
        let what = name(device);
        let image = array::<f32>(device, &[3, 3], &host);
        let alone = WarpOptions::default().outside(-1.0);
        assert!(apart(&image.rotate(30.0, &alone), &turned) < 2e-6, "{what}");
        let grown = image.rotate_grown(30.0, &alone);
        assert!(apart(&grown.slice(&[(1..3).into(), (1..3).into()]), &inner) < 2e-6, "{what}");
        assert_eq!((grown.shape(), grown.sum().item().unwrap().round()), (&[4, 4][..], 8.0), "{what}");
        // The inverse of SciPy's map from results to pixels: 0.75 of the rows, less 0.5, and of the columns, and 0.25.
        let map = [[4.0 / 3.0, 0.0, -1.0 / 3.0], [0.0, 4.0 / 3.0, 2.0 / 3.0]];
        assert!(apart(&image.warp_affine(map, [4, 4], &alone), &moved) < 2e-6, "{what}");
        let line = |values: [f32; 6]| Array::from_shape(device, &[1, 6], &values);
        let y = line([-0.25, 0.0, 0.5, 2.0, 2.25, f32::NAN]);
        let x = line([1.0, 0.0, 2.0, 2.0, 1.0, 9.0]);
        let read = |by| image.remap(&x, &y, &alone.clone().by(by)).to_vec().unwrap();
        assert_eq!(read(Resampling::Nearest)[..5], [-1.0, 1.0, 6.0, 10.0, -1.0], "{what}");
        assert_eq!(read(Resampling::Bilinear)[..5], [-1.0, 1.0, 4.5, 10.0, -1.0], "{what}");
        assert_eq!(read(Resampling::Bilinear)[5], -1.0, "one coordinate past an edge, on {what}");
        let map = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.5, 0.0, 1.0]];
        let far = image.warp_perspective(map, [3, 3], &alone);
        assert_eq!(far.to_vec().unwrap()[2], -1.0, "{what}");
        // Of channels, in one launch; with what stands past the edges for the sums of a cubic within.
        let colours = Array::from_shape(device, &[2, 2, 3], &[10u8, 20, 30, 40, 50, 60, 70, 80, 90, 100, 110, 120]);
        let options = WarpOptions::default().interleaved().outside(7);
        let half = colours.warp_affine([[1.0, 0.0, 0.5], [0.0, 1.0, 0.0]], [2, 2], &options);
        assert_eq!(half.to_vec().unwrap(), [7, 7, 7, 25, 35, 45, 7, 7, 7, 85, 95, 105], "{what}");
        let cubic = alone.by(Resampling::Bicubic).boundary(PadMode::Edge);
        let level = Array::<f32>::ones(device, &[2, 4]);
        let got = level.warp_affine([[1.0, 0.0, 0.5], [0.0, 1.0, 0.0]], [2, 4], &cubic);
        assert!(apart(&got, &[-1.0, 1.0, 1.0, 1.0, -1.0, 1.0, 1.0, 1.0]) < 1e-6, "{what}");
        assert_eq!(grown.explain().unwrap().steps.len(), 1, "{what}");
        if has(device, DType::F64) {
            let image = array::<f64>(device, &[3, 3], &host);
            assert!(apart(&image.rotate(30.0, &WarpOptions::default().outside(-1.0)), &turned) < 1e-6, "{what}");
        }
    }
}

#[test]
fn mistakes_are_told() {
    for device in quick() {
        let image = Array::<f32>::ones(device, &[4, 5]);
        let told = |array: Array<f32>, parts: &[&str]| {
            let error = array.to_vec().unwrap_err().to_string();
            assert!(parts.iter().all(|part| error.contains(part)), "{error}");
        };
        let (resize, warp) = (ResizeOptions::default(), WarpOptions::default());
        if !device.caps().f64 {
            let error = Array::<f64>::ones(device, &[4, 5]).resize([2, 2], &resize).to_vec().unwrap_err().to_string();
            assert!(error.contains("f64"), "{error}");
        }
        told(image.resize([0, 3], &resize), &["resize", "size", "[0, 3]"]);
        told(image.resize([3, 1 << 25], &resize), &["resize", "size", "rows and columns"]);
        told(Array::<f32>::ones(device, &[4]).resize([2, 2], &resize), &["resize", "array", "[4]"]);
        told(Array::<f32>::ones(device, &[4, 0]).resize([2, 2], &resize), &["resize", "array", "[4, 0]"]);
        told(image.resize([2, 2], &resize.clone().axes([0, 2])), &["resize", "axis", "2"]);
        told(image.resize([2, 2], &resize.clone().axes([1, -1])), &["resize", "axes", "two axes"]);
        told(image.resize([2, 2], &resize.interleaved()), &["resize", "axis", "-3"]);
        told(image.rotate(f64::NAN, &warp), &["rotate", "degrees", "NaN"]);
        told(image.rotate(1.0, &warp.clone().by(Resampling::Lanczos)), &["rotate", "by", "Lanczos"]);
        told(image.warp_affine([[1.0, 2.0, 0.0], [2.0, 4.0, 1.0]], [2, 2], &warp), &["warp_affine", "map", "inverse"]);
        told(image.warp_perspective([[0.0; 3]; 3], [2, 2], &warp), &["warp_perspective", "map"]);
        let at = |shape: &[usize]| Array::<f32>::zeros(device, shape);
        told(image.remap(&at(&[2]), &at(&[2]), &warp), &["remap", "coordinates", "two axes"]);
        told(image.remap(&at(&[2, 2]), &at(&[3, 2]), &warp), &["remap", "coordinates", "broadcast"]);
        told(image.remap(&at(&[3, 2, 2]), &at(&[2, 2]), &warp), &["remap", "coordinates", "[3, 2, 2]"]);
        assert_eq!(Array::<u8>::zeros(device, &[0, 4, 5]).resize([2, 3], &ResizeOptions::default()).shape(), [0, 2, 3]);
        assert_eq!(image.sum().item().unwrap(), 20.0, "{} is usable", name(device));
    }
}

/// A row's result in the row's type, or the distance of both.
fn coloured<T: Pixel<Sums = f32>>(image: &Array<T>, what: &str, wanted: &[f64]) -> f64 {
    match what {
        "rgb_to_gray" => apart(&image.rgb_to_gray(-1), wanted),
        "rgb_to_hsv" => apart(&image.rgb_to_hsv(-1), wanted),
        "hsv_to_rgb" => apart(&image.hsv_to_rgb(-1), wanted),
        "rgb_to_ycbcr" => apart(&image.rgb_to_ycbcr(-1), wanted),
        "ycbcr_to_rgb" => apart(&image.ycbcr_to_rgb(-1), wanted),
        "rgb_to_lab" => apart(&image.rgb_to_lab(-1), wanted),
        "lab_to_rgb" => apart(&image.lab_to_rgb(-1), wanted),
        "adjust_gamma" => apart(&image.adjust_gamma(0.7), wanted),
        "srgb_to_linear" => apart(&image.srgb_to_linear(), wanted),
        "linear_to_srgb" => apart(&image.cast::<f32>().linear_to_srgb::<T>(), wanted),
        other => panic!("{other}"),
    }
}

/// Bounds are in the table: those of integers are the other library's rounding on the way; OpenCV adds 2^-23 to what it divides hues by.
#[test]
fn colours_as_opencv_pillow_and_skimage() {
    for device in devices() {
        for row in some(device, rows("colour")) {
            let (values, wanted) = (numbers(&row["x"]), numbers(&row["result"]));
            let (what, dtype) = (row["what"].as_str().unwrap(), row["dtype"].as_str().unwrap());
            let shape = [values.len() / 3, 3];
            let far = match dtype {
                "f32" => coloured(&array::<f32>(device, &shape, &values), what, &wanted),
                "u8" => coloured(&bytes(device, &shape, &values), what, &wanted),
                _ => {
                    let host: Vec<u16> = values.iter().map(|&value| value as u16).collect();
                    coloured(&Array::from_shape(device, &shape, &host), what, &wanted)
                }
            };
            assert!(far <= row["bound"].as_f64().unwrap(), "{what} of {dtype} on {}: {far}", name(device));
        }
    }
}

/// Channels along any axis, in one launch with what is before and after; there and back again.
#[test]
fn colours_of_every_layout() {
    for device in quick() {
        let mut random = StdRng::seed_from_u64(6);
        let host: Vec<f32> = (0..2 * 3 * 4 * 5).map(|_| random.random_range(0.0..1.0)).collect();
        let planar = Array::from_shape(device, &[2, 3, 4, 5], &host);
        let last = planar.move_axis(1, -1);
        for (there, back) in [
            (planar.rgb_to_hsv(1), last.rgb_to_hsv(-1)),
            (planar.rgb_to_ycbcr(1), last.rgb_to_ycbcr(-1)),
            (planar.rgb_to_lab(-3), last.rgb_to_lab(3)),
        ] {
            assert_eq!(there.to_vec().unwrap(), back.move_axis(-1, 1).to_vec().unwrap(), "on {}", name(device));
        }
        let wanted: Vec<f64> = host.iter().map(|&value| value as f64).collect();
        for (what, image) in [
            ("hsv", planar.rgb_to_hsv(1).hsv_to_rgb(1)),
            ("ycbcr", planar.rgb_to_ycbcr(1).ycbcr_to_rgb(1)),
            ("lab", planar.rgb_to_lab(1).lab_to_rgb(1)),
            ("linear", planar.srgb_to_linear().linear_to_srgb()),
        ] {
            let far = apart(&image, &wanted);
            assert!(far < 1e-4, "{what} on {}: {far}", name(device));
        }
        let gray = ((&planar * 0.5).rgb_to_gray(1) + 1.0).gray_to_rgb(1);
        assert_eq!((gray.shape(), gray.explain().unwrap().steps.len()), (&[2, 3, 4, 5][..], 1));
        let scaled = planar.normalise_channels(&[0.5, 0.25, 0.0], &[0.5, 1.0, 2.0], 1);
        let wanted: Vec<f64> = wanted
            .iter()
            .enumerate()
            .map(|(at, value)| match at / 20 % 3 {
                0 => (value - 0.5) / 0.5,
                1 => value - 0.25,
                _ => value / 2.0,
            })
            .collect();
        assert!(apart(&scaled, &wanted) < 1e-6);
        let told = |array: Array<f32>, parts: &[&str]| {
            let error = array.to_vec().unwrap_err().to_string();
            assert!(parts.iter().all(|part| error.contains(part)), "{error}");
        };
        told(planar.rgb_to_hsv(0), &["rgb_to_hsv", "three channels", "axis 0"]);
        told(planar.rgb_to_gray(4), &["rgb_to_gray", "axis", "4"]);
        told(planar.normalise_channels(&[0.0; 2], &[1.0; 3], 1), &["normalise_channels", "3 means", "2 and 3"]);
    }
}

#[test]
fn contrast_as_opencv() {
    for device in devices() {
        for row in some(device, rows("equalise")) {
            let (from, args, wanted) = (shape(&row["shape"]), numbers(&row["args"]), numbers(&row["result"]));
            let image = bytes(device, &from, &numbers(&row["x"]));
            let result = match row["what"].as_str().unwrap() {
                "equalise" => image.histogram_equalise([-2, -1]),
                _ => image.clahe(args[0], [args[1] as usize, args[2] as usize], [-2, -1]),
            };
            let got = floats(&result);
            let other = got.iter().zip(&wanted).filter(|(a, b)| a != b).count();
            // A level between two, in f32, may go to either: of these few.
            let what = format!("{} of {from:?} {args:?} on {}: {other} differ", row["what"], name(device));
            assert!(apart(&result, &wanted) <= 1.0 && other * 20 <= wanted.len(), "{what}");
        }
    }
}

/// Each plane alone, in every layout.
#[test]
fn contrast_of_every_layout() {
    for device in quick() {
        let mut random = StdRng::seed_from_u64(7);
        let host: Vec<u8> =
            (0..2 * 3 * 12 * 16).map(|at| random.random_range(0..=(30 + at / 192 * 40) as u8)).collect();
        let planar = Array::from_shape(device, &[2, 3, 12, 16], &host);
        let pixel_axes = [-2, -1];
        for made in [
            |image: &Array<u8>, axes| image.histogram_equalise(axes),
            |image: &Array<u8>, axes| image.clahe(3.0, [2, 4], axes),
        ] {
            let all = made(&planar, pixel_axes);
            let last = made(&planar.move_axis(1, -1), [-3, -2]);
            assert_eq!(all.to_vec().unwrap(), last.move_axis(-1, 1).to_vec().unwrap(), "on {}", name(device));
            for (nth, plane) in host.chunks(192).enumerate() {
                let alone = made(&Array::from_shape(device, &[12, 16], plane), pixel_axes).to_vec().unwrap();
                assert_eq!(alone, all.to_vec().unwrap()[nth * 192..][..192], "plane {nth} on {}", name(device));
            }
            assert_eq!(made(&Array::zeros(device, &[0, 4, 5]), pixel_axes).shape(), [0, 4, 5]);
        }
        let error = planar.clahe(1.0, [13, 1], pixel_axes).to_vec().unwrap_err().to_string();
        assert!(error.contains("clahe") && error.contains("tiles") && error.contains("[13, 1]"), "{error}");
        let error = planar.clahe(f64::NAN, [1, 1], pixel_axes).to_vec().unwrap_err().to_string();
        assert!(error.contains("limit"), "{error}");
    }
}

#[test]
fn colour_maps_as_matplotlib() {
    let levels = [0u8, 1, 37, 64, 100, 127, 128, 160, 200, 233, 254, 255];
    for device in quick() {
        for (map, by) in [
            (ColourMap::Viridis, "viridis"),
            (ColourMap::Magma, "magma"),
            (ColourMap::Inferno, "inferno"),
            (ColourMap::Turbo, "turbo"),
            (ColourMap::Jet, "jet"),
        ] {
            let wanted = numbers(&TABLE["maps"][by]);
            let image = Array::from_shape(device, &[3, 4], &levels);
            let colours = image.colour_map(map);
            assert_eq!((colours.shape(), apart(&colours, &wanted)), (&[3, 4, 3][..], 0.0), "{by} on {}", name(device));
            let middles = (image.cast::<f32>() + 0.5) / 256.0;
            assert_eq!(apart(&middles.colour_map(map), &wanted), 0.0, "{by} of f32 on {}", name(device));
            let wide = (image.cast::<u32>() * 257u32).cast::<u16>();
            assert_eq!(apart(&wide.colour_map(map), &wanted), 0.0, "{by} of u16 on {}", name(device));
        }
        let gray = Array::from_slice(device, &levels).colour_map(ColourMap::Gray).to_vec().unwrap();
        assert!(gray.iter().enumerate().all(|(at, &value)| value == levels[at / 3]), "on {}", name(device));
        let outside =
            device.array([-1.0f32, 2.0, f32::INFINITY, f32::NAN]).colour_map(ColourMap::Gray).to_vec().unwrap();
        assert_eq!(outside, [[0; 3], [255; 3], [255; 3], [0; 3]].concat(), "on {}", name(device));
    }
}

/// Buffers of the crate `image`, of every sample type and number of channels, there and back.
#[cfg(feature = "image")]
#[test]
fn buffers_of_the_crate_image() {
    use image::{DynamicImage, ImageBuffer, Luma, Rgb, Rgba};
    let device = &Device::cpu().unwrap();
    let bytes: Vec<u8> = (0..60).collect();
    let host = ImageBuffer::<Rgb<u8>, _>::from_raw(5, 4, bytes.clone()).unwrap();
    let x = Array::from_image(device, &host);
    assert_eq!((x.shape(), x.to_vec().unwrap()), (&[4, 5, 3][..], bytes.clone()));
    assert_eq!(x.to_image::<Rgb<u8>>().unwrap(), host);
    // A slice that is longer than the image, without a copy.
    let slice = ImageBuffer::<Luma<u8>, &[u8]>::from_raw(5, 4, &bytes[..]).unwrap();
    let gray = Array::from_image(device, &slice);
    assert_eq!((gray.shape(), gray.to_vec().unwrap()), (&[4, 5][..], bytes[..20].to_vec()));
    let wide = ImageBuffer::<Rgba<u16>, _>::from_fn(2, 3, |x, y| Rgba([x as u16, y as u16, 700, 65535]));
    assert_eq!(Array::from_image(device, &wide).to_image::<Rgba<u16>>().unwrap(), wide);
    let reals = ImageBuffer::<Rgb<f32>, _>::from_fn(2, 3, |x, y| Rgb([x as f32, y as f32, 0.5]));
    assert_eq!(Array::from_image(device, &reals).to_image::<Rgb<f32>>().unwrap(), reals);
    for any in [
        DynamicImage::new_luma8(3, 2),
        DynamicImage::new_luma_a8(3, 2),
        DynamicImage::new_rgb8(3, 2),
        DynamicImage::new_rgba8(3, 2),
    ] {
        assert_eq!(Array::<u8>::from_dynamic_image(device, &any).to_dynamic_image().unwrap(), any);
    }
    let any = DynamicImage::ImageRgba16(wide);
    assert_eq!(Array::<u16>::from_dynamic_image(device, &any).to_dynamic_image().unwrap(), any);
    let any = DynamicImage::ImageRgb32F(reals);
    assert_eq!(Array::<f32>::from_dynamic_image(device, &any).to_dynamic_image().unwrap(), any);
    let told = |error: crosslane::Error, parts: &[&str]| {
        let error = error.to_string();
        assert!(parts.iter().all(|part| error.contains(part)), "{error}");
    };
    told(Array::<u8>::from_dynamic_image(device, &any).to_vec().unwrap_err(), &["samples of u8", "Rgb32F"]);
    told(x.to_image::<Luma<u8>>().unwrap_err(), &["to_image", "1 channels", "[4, 5, 3]"]);
    told(Array::<u8>::zeros(device, &[7]).to_image::<Luma<u8>>().unwrap_err(), &["to_image", "[height, width]", "[7]"]);
    told(Array::<f32>::zeros(device, &[2, 2]).to_dynamic_image().unwrap_err(), &["to_dynamic_image", "f32", "[2, 2]"]);
    told(Array::<u8>::zeros(device, &[2, 2, 5]).to_dynamic_image().unwrap_err(), &["to_dynamic_image", "[2, 2, 5]"]);
    // Of no pixels.
    assert_eq!(Array::<u8>::from_dynamic_image(device, &DynamicImage::new_rgb8(0, 0)).shape(), [0, 0, 3]);
}
