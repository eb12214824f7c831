//! How arrays are printed: [`std::fmt::Display`] as NumPy's `print` does.

use crate::array::{Array, Selected, Slice};
use crate::element::{Class, DType, Element, Scalar};
use crosslane_core::error::Result;
use std::fmt::{self, Write};

/// Elements of an array from which on only its edges are printed; elements at each edge; columns; digits after the point.
const THRESHOLD: usize = 1000;
const EDGE: usize = 3;
const COLUMNS: usize = 75;
const DIGITS: usize = 8;

/// Prints the values as NumPy's `print` does, past 1000 elements the first and last three of each axis with `...`
/// between them. `{:.3}` gives at most this many digits after the point instead of 8. An array that holds an error, or
/// cannot be computed, prints the error: printing never panics.
///
/// Cost: only the printed elements are read. Elementwise work is computed for these alone; a sum or a sort is computed
/// in full. It waits for the device. The array stays as it is, so evaluate it first if it is used again
/// ([`Array::eval`]).
///
/// ```
/// # crosslane::example(|device| {
/// use crosslane::Array;
/// let x = Array::from_shape(device, &[2, 2], &[1.0f32, -2.5, 3.0, 100.0]);
/// assert_eq!(x.to_string(), "[[  1.   -2.5]\n [  3.  100. ]]");
/// assert_eq!(Array::arange(device, 0, 2000, 1).to_string(), "[   0    1    2 ... 1997 1998 1999]");
/// # Ok(()) });
/// ```
impl<T: Element> fmt::Display for Array<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match Printed::of(self) {
            Ok(printed) => f.write_str(&printed.text(f.precision())),
            Err(error) => write!(f, "Array(error: {error})"),
        }
    }
}

/// Prints the elements as an array of them. It waits for the device, which alone knows how many there are.
impl<T: Element> fmt::Display for Selected<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.to_array() {
            Ok(array) => array.fmt(f),
            Err(error) => write!(f, "Selected(error: {error})"),
        }
    }
}

/// The elements that are printed, and where they stand in the array.
struct Printed {
    dtype: DType,
    /// The array's shape.
    shape: Vec<usize>,
    /// Whether edges only are printed, of axes longer than two of them.
    short: bool,
    /// The printed elements in row-major order, and their shape.
    elements: Vec<Scalar>,
    extents: Vec<usize>,
}

impl Printed {
    fn of<T: Element>(array: &Array<T>) -> Result<Printed> {
        array.check()?;
        let (shape, short) = (array.shape().to_vec(), array.len() > THRESHOLD);
        let extents: Vec<usize> =
            shape.iter().map(|&extent| if short { extent.min(2 * EDGE) } else { extent }).collect();
        let values = if short { edges(array, &extents)? } else { array.to_vec()? };
        let elements = values.into_iter().map(T::scalar).collect();
        Ok(Printed { dtype: T::DTYPE, shape, short, elements, extents })
    }

    fn text(&self, digits: Option<usize>) -> String {
        match (self.shape.is_empty(), self.elements.is_empty()) {
            (true, _) => alone(self.elements[0], digits),
            (_, true) => "[]".into(),
            _ => {
                let column = Column::of(self.dtype, &self.elements, digits.unwrap_or(DIGITS));
                self.nested(0, 0, &column, COLUMNS)
            }
        }
    }

    /// The part of the array behind the printed places of the first axes, of which `first` is the first element's number.
    fn nested(&self, axis: usize, first: usize, column: &Column, width: usize) -> String {
        let extent = self.extents[axis];
        let cut = (self.short && self.shape[axis] > extent).then_some(EDGE);
        let inner: usize = self.extents[axis + 1..].iter().product();
        let left = self.extents.len() - axis;
        let indent = " ".repeat(axis + 1);
        if left == 1 {
            return row((0..extent).map(|i| column.text(self.elements[first + i])), cut, &indent, width - 1);
        }
        let lines = "\n".repeat(left - 1);
        let mut parts: Vec<String> =
            (0..extent).map(|i| self.nested(axis + 1, first + i * inner, column, width - 1)).collect();
        if let Some(edge) = cut {
            parts.insert(edge, "...".into());
        }
        format!("[{}]", parts.join(&format!("{lines}{indent}")))
    }
}

/// One axis' elements, in lines no longer than `width`.
fn row(words: impl Iterator<Item = String>, cut: Option<usize>, indent: &str, width: usize) -> String {
    let mut words: Vec<String> = words.collect();
    if let Some(edge) = cut {
        words.insert(edge, "...".into());
    }
    let (mut text, mut line) = (String::new(), indent.to_string());
    for (i, word) in words.iter().enumerate() {
        if line.len() + word.len() > width && line.len() > indent.len() {
            writeln!(text, "{}", line.trim_end()).expect("strings take everything");
            line = indent.into();
        }
        line += word;
        line += if i + 1 < words.len() { " " } else { "" };
    }
    format!("[{}]", &(text + &line)[indent.len()..])
}

/// The elements of the first and last places of each axis that is longer, read in one submission.
fn edges<T: Element>(array: &Array<T>, extents: &[usize]) -> Result<Vec<T>> {
    let edge = EDGE as isize;
    // Each axis in one part or two; so many parts for all axes together.
    let parts = |axis: usize| match array.shape()[axis] > extents[axis] {
        true => vec![(0, Slice::from(..edge)), (EDGE, Slice::from(-edge..))],
        false => vec![(0, Slice::from(..))],
    };
    let mut corners = vec![(vec![], vec![])];
    for axis in 0..array.rank() {
        let longer = |(starts, slices): (Vec<usize>, Vec<Slice>)| {
            let with = move |(start, slice)| ([&starts[..], &[start]].concat(), [&slices[..], &[slice]].concat());
            parts(axis).into_iter().map(with)
        };
        corners = corners.into_iter().flat_map(longer).collect();
    }
    let views: Vec<Array<T>> = corners.iter().map(|(_, slices)| array.slice(slices)).collect();
    let read = Array::read_all(&views.iter().collect::<Vec<_>>())?;
    let mut elements = vec![read[0][0]; extents.iter().product()];
    for (((starts, _), view), values) in corners.iter().zip(&views).zip(read) {
        for (number, value) in values.into_iter().enumerate() {
            elements[place(number, view.shape(), starts, extents)] = value;
        }
    }
    Ok(elements)
}

/// The number, among elements of these extents, of an element of a part that begins at `starts`.
fn place(mut number: usize, shape: &[usize], starts: &[usize], extents: &[usize]) -> usize {
    let (mut at, mut stride) = (0, 1);
    for axis in (0..shape.len()).rev() {
        at += (starts[axis] + number % shape[axis]) * stride;
        number /= shape[axis];
        stride *= extents[axis];
    }
    at
}

/// How all elements are written, so that they stand below each other.
enum Column {
    /// Right-aligned.
    Wide(usize),
    /// Floats, with this many columns before and after the point.
    Point { left: usize, right: usize, digits: usize },
    /// Floats with exponents of this many digits.
    Power { left: usize, digits: usize, power: usize },
    /// Real parts, and the sizes of imaginary ones.
    Complex(Box<[Column; 2]>),
}

impl Column {
    fn of(dtype: DType, elements: &[Scalar], digits: usize) -> Column {
        if dtype.is_complex() {
            let parts = [0, 1].map(|part| elements.iter().map(|x| sized(*x)[part]).collect::<Vec<Scalar>>());
            return Column::Complex(Box::new(parts.map(|part| Column::of(dtype.real(), &part, digits))));
        }
        if dtype.class() != Class::Float {
            let width = |&x: &Scalar| whole(x).len();
            let least = if dtype == DType::Bool { "False".len() } else { 0 };
            return Column::Wide(elements.iter().map(width).max().unwrap_or(0).max(least));
        }
        let finite: Vec<Scalar> = elements.iter().copied().filter(|x| x.to_f64().is_finite()).collect();
        let mut column = match needs_powers(dtype, &finite) {
            true => Column::powers(&finite, digits),
            false => Column::points(&finite, digits),
        };
        // NaN and infinities take the width of the others, or widen them.
        let after = 1 + match column {
            Column::Wide(_) | Column::Complex(_) => 0,
            Column::Point { right, .. } => right,
            Column::Power { digits, power, .. } => digits + 2 + power,
        };
        let others = elements.iter().map(|x| x.to_f64()).filter(|x| !x.is_finite()).map(no_number);
        let others = others.map(|text| text.len().saturating_sub(after)).max().unwrap_or(0);
        if let Column::Point { left, .. } | Column::Power { left, .. } = &mut column {
            *left = others.max(*left);
        }
        column
    }

    fn points(finite: &[Scalar], digits: usize) -> Column {
        let parts = finite.iter().map(|&x| positional(x, digits));
        let widths = parts.map(|text| text.split_once('.').map(|(left, right)| (left.len(), right.len())));
        let (left, right) =
            widths.flatten().fold((0, 0), |(left, right), (l, r)| (usize::max(left, l), usize::max(right, r)));
        Column::Point { left, right, digits }
    }

    fn powers(finite: &[Scalar], digits: usize) -> Column {
        let (mut left, mut after, mut power) = (0, 0, 0);
        for &x in finite {
            let (whole, fraction, exponent) = scientific(x, digits);
            (left, after) = (left.max(whole.len()), after.max(fraction.len()));
            power = power.max(exponent.unsigned_abs().to_string().len().max(2));
        }
        Column::Power { left, digits: after, power }
    }

    /// One element.
    fn text(&self, x: Scalar) -> String {
        let value = x.to_f64();
        match *self {
            Column::Complex(ref parts) => {
                let [re, im] = sized(x);
                let (re, im) = (parts[0].text(re), parts[1].text(im));
                let number = im.trim();
                let (before, after) = (im.len() - im.trim_start().len(), im.len() - im.trim_end().len());
                format!("{re}{:before$}{}{number}j{:after$}", "", sign(x), "")
            }
            Column::Wide(width) => format!("{:>width$}", whole(x)),
            Column::Point { left, right, .. } if !value.is_finite() => {
                format!("{:>1$}", no_number(value), left + right + 1)
            }
            Column::Power { left, digits, power } if !value.is_finite() => {
                format!("{:>1$}", no_number(value), left + 1 + digits + 2 + power)
            }
            Column::Point { left, right, digits } => {
                let text = positional(x, digits);
                let (before, after) = text.split_once('.').expect("positional writes a point");
                format!("{before:>left$}.{after:<right$}")
            }
            Column::Power { left, digits, power } => {
                // As many digits as the longest needs, all of them the value's own.
                let text = format!("{value:.digits$e}");
                let (number, exponent) = text.split_once('e').expect("scientific");
                let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
                format!("{whole:>left$}.{fraction}e{}", signed(exponent.parse().expect("an exponent"), power))
            }
        }
    }
}

/// The real part and the size of the imaginary one.
fn sized(x: Scalar) -> [Scalar; 2] {
    let [re, im] = x.parts();
    [re, Scalar::from_f64(im.dtype, im.to_f64().abs())]
}

/// The sign of the imaginary part; NaN has none.
fn sign(x: Scalar) -> char {
    let im = x.parts()[1].to_f64();
    if im.is_sign_negative() && !im.is_nan() { '-' } else { '+' }
}

/// Whether floats are written with exponents: NumPy's rule.
fn needs_powers(dtype: DType, finite: &[Scalar]) -> bool {
    let sizes = || finite.iter().map(|x| x.to_f64().abs()).filter(|&x| x != 0.0);
    let (most, least) = (sizes().fold(0.0, f64::max), sizes().fold(f64::INFINITY, f64::min));
    let small = Scalar::from_f64(dtype, 1e-4).to_f64();
    most > 0.0 && (most >= 1e8 || least < small || most / least > 1000.0)
}

/// Integers and masks.
fn whole(x: Scalar) -> String {
    match x.dtype {
        DType::Bool => if x.bits != 0 { "True" } else { "False" }.into(),
        _ if x.dtype.class() == Class::Signed => x.signed().to_string(),
        _ => x.bits.to_string(),
    }
}

fn no_number(value: f64) -> &'static str {
    match (value.is_nan(), value < 0.0) {
        (true, _) => "nan",
        (_, true) => "-inf",
        _ => "inf",
    }
}

/// The fewest digits that are this float and no other of its type, with an exponent.
fn shortest(x: Scalar) -> String {
    match x.dtype {
        DType::F64 => format!("{:e}", x.to_f64()),
        DType::F32 => format!("{:e}", x.to_f64() as f32),
        _ => {
            // No half has more than five digits.
            let written = (0..5).map(|digits| format!("{:.digits$e}", x.to_f64()));
            let same = |text: &String| Scalar::from_f64(x.dtype, text.parse().expect("a number")).bits == x.bits;
            written.into_iter().find(same).unwrap_or_else(|| format!("{:e}", x.to_f64()))
        }
    }
}

/// With a point, and at most this many digits after it, without zeros at the end.
fn positional(x: Scalar, digits: usize) -> String {
    let exact = decimal(&shortest(x));
    match exact.split_once('.') {
        Some((_, after)) if after.len() > digits => trimmed(format!("{:.digits$}", x.to_f64())),
        Some(_) => exact,
        None => exact + ".",
    }
}

/// What stands before the point, after it without zeros at the end, and the exponent.
fn scientific(x: Scalar, digits: usize) -> (String, String, i32) {
    let longest = shortest(x);
    let after = |text: &str| text.split_once('.').map_or(0, |(_, rest)| rest.find('e').unwrap_or(0));
    let text = if after(&longest) > digits { format!("{:.digits$e}", x.to_f64()) } else { longest };
    let (number, exponent) = text.split_once('e').expect("scientific");
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    (whole.into(), fraction.trim_end_matches('0').into(), exponent.parse().expect("an exponent"))
}

/// A number with an exponent written without.
fn decimal(text: &str) -> String {
    let (number, exponent) = text.split_once('e').expect("scientific");
    let exponent: i32 = exponent.parse().expect("an exponent");
    let (sign, number) = number.strip_prefix('-').map_or(("", number), |number| ("-", number));
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let digits = format!("{whole}{fraction}");
    let point = 1 + exponent;
    let (before, after) = match point {
        ..=0 => ("0".to_string(), "0".repeat(point.unsigned_abs() as usize) + &digits),
        _ if point as usize >= digits.len() => (format!("{digits:0<0$}", point as usize), String::new()),
        _ => (digits[..point as usize].to_string(), digits[point as usize..].to_string()),
    };
    format!("{sign}{before}.{}", after.trim_end_matches('0'))
}

fn trimmed(text: String) -> String {
    if text.contains('.') { text.trim_end_matches('0').to_string() } else { text + "." }
}

/// An exponent with its sign and at least this many digits.
fn signed(exponent: i32, digits: usize) -> String {
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{sign}{:0>digits$}", exponent.unsigned_abs())
}

/// The element of an array of rank 0, which stands in no column: with all its digits, unless it is said how many.
fn alone(x: Scalar, digits: Option<usize>) -> String {
    if x.dtype.is_complex() {
        let [re, im] = sized(x).map(|part| alone(part, digits));
        let short = |part: &str| part.strip_suffix(".0").unwrap_or(part).to_string();
        return format!("({}{}{}j)", short(&re), sign(x), short(&im));
    }
    let (value, most) = (x.to_f64(), digits.unwrap_or(usize::MAX));
    // NumPy 2.4's: where the type's digits end.
    let large = match x.dtype {
        DType::BF16 => 1e2,
        DType::F16 => 1e3,
        DType::F32 => 1e6,
        _ => 1e16,
    };
    match x.dtype.class() {
        Class::Float if !value.is_finite() => no_number(value).into(),
        Class::Float if value != 0.0 && !(1e-4..large).contains(&value.abs()) => {
            let (whole, fraction, exponent) = scientific(x, most);
            let point = if fraction.is_empty() { "" } else { "." };
            format!("{whole}{point}{fraction}e{}", signed(exponent, 2))
        }
        Class::Float => {
            let text = positional(x, most);
            if text.ends_with('.') { text + "0" } else { text }
        }
        _ => whole(x),
    }
}
