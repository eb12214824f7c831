//! A case of the file: a call's arguments, arrays, and SciPy's results.

use crosslane::array::PadMode;
use crosslane::op::Value as Number;
use crosslane::{Array, Complex, DType, Device, Element, Part, Result};
use serde_json::Value;

/// What a call gave, as f64: of complex numbers both parts side by side.
pub struct Given {
    pub shape: Vec<usize>,
    pub values: Vec<f64>,
}

/// What a call gives, if there is one of that name for the type.
pub type Answer = Option<Result<Vec<Given>>>;

pub struct Row(Value);

impl Given {
    pub fn of<T: Element>(array: &Array<T>) -> Result<Given> {
        let complex = matches!(T::DTYPE, DType::Complex32 | DType::Complex64);
        let values = array.to_vec()?.into_iter().flat_map(|value| {
            let parts = crate::support::parts(value);
            if complex { parts.to_vec() } else { parts[..1].to_vec() }
        });
        Ok(Given { shape: array.shape().to_vec(), values: values.collect() })
    }

    /// What the host computed.
    pub fn host(values: Vec<f64>) -> Given {
        Given { shape: vec![values.len()], values }
    }
}

/// The one result of a call.
pub fn one<T: Element>(array: Array<T>) -> Answer {
    Some(Given::of(&array).map(|given| vec![given]))
}

/// The two results of a call.
pub fn two<A: Element, B: Element>((a, b): (Array<A>, Array<B>)) -> Answer {
    Some(Given::of(&a).and_then(|a| Ok(vec![a, Given::of(&b)?])))
}

pub fn element<T: Element>(value: f64) -> T {
    T::from_scalar(Number::Float(value).scalar(T::DTYPE))
}

fn given(value: &Value) -> Given {
    let shape = value["shape"].as_array().expect("a shape").iter().map(|n| n.as_u64().expect("an extent") as usize);
    let words = value["values"].as_str().expect("values").split_ascii_whitespace();
    Given { shape: shape.collect(), values: words.map(|word| word.parse().expect("a number")).collect() }
}

impl Row {
    pub fn all(text: &str) -> (u64, Vec<Row>) {
        let mut file: Value = serde_json::from_str(text).expect("a file of sweep.py");
        let seed = file["seed"].as_u64().expect("a seed");
        let Value::Array(rows) = file["cases"].take() else { panic!("a list of cases") };
        (seed, rows.into_iter().map(Row).collect())
    }

    pub fn has(&self, name: &str) -> bool {
        !self.0[name].is_null()
    }

    pub fn text(&self, name: &str) -> &str {
        self.0[name].as_str().unwrap_or_default()
    }

    pub fn number(&self, name: &str) -> f64 {
        self.0[name].as_f64().unwrap_or_else(|| panic!("{self}: {name}"))
    }

    pub fn count(&self, name: &str) -> usize {
        self.number(name) as usize
    }

    pub fn numbers(&self, name: &str) -> Vec<f64> {
        match &self.0[name] {
            Value::Array(values) => values.iter().map(|value| value.as_f64().expect("a number")).collect(),
            array => given(array).values,
        }
    }

    pub fn whole(&self, name: &str) -> Vec<isize> {
        self.numbers(name).into_iter().map(|value| value as isize).collect()
    }

    pub fn counts(&self, name: &str) -> Vec<usize> {
        self.numbers(name).into_iter().map(|value| value as usize).collect()
    }

    pub fn is_complex(&self) -> bool {
        self.0["complex"].as_bool() == Some(true)
    }

    pub fn results(&self) -> Vec<Given> {
        self.0["results"].as_array().expect("results").iter().map(given).collect()
    }

    /// How far each value of the results may be off, or all.
    pub fn bounds(&self) -> Vec<f64> {
        if self.has("bounds") { self.numbers("bounds") } else { vec![self.number("bound")] }
    }

    /// Whether that is the boundary along the first axis.
    pub fn is_mode(&self, name: &str) -> bool {
        self.0["modes"][0] == name
    }

    pub fn boundaries<T: Element>(&self) -> Vec<PadMode<T>> {
        let mode = |name: &Value| match name.as_str().expect("a mode") {
            "constant" | "grid-constant" => PadMode::Constant(element(self.number("value"))),
            "nearest" => PadMode::Edge,
            "mirror" => PadMode::Reflect,
            "reflect" => PadMode::Symmetric,
            "wrap" | "grid-wrap" => PadMode::Wrap,
            other => panic!("{other}"),
        };
        self.0["modes"].as_array().expect("modes").iter().map(mode).collect()
    }

    /// An array of the case, which lies in memory as `view` says.
    pub fn array<T: Element>(&self, device: &Device, name: &str) -> Array<T> {
        let Given { shape, values } = given(&self.0[name]);
        viewed(
            Array::from_shape(device, &shape, &values.into_iter().map(element).collect::<Vec<T>>()),
            self.text("view"),
        )
    }

    pub fn complex<R: Part>(&self, device: &Device, name: &str) -> Array<Complex<R>> {
        let Given { shape, values } = given(&self.0[name]);
        let numbers = values.chunks(2).map(|pair| Complex::new(R::rounded(pair[0]), R::rounded(pair[1])));
        let values: Vec<Complex<R>> = numbers.collect();
        viewed(Array::from_shape(device, &shape, &values), self.text("view"))
    }

    pub fn shape(&self, name: &str) -> Vec<usize> {
        given(&self.0[name]).shape
    }
}

/// The same elements as a view of a flipped array, of a transposed one, or of one that has others between them.
fn viewed<T: Element>(array: Array<T>, view: &str) -> Array<T> {
    let kept = |array: Array<T>| array.eval().map(|_| array.clone());
    let rank = array.rank();
    if rank == 0 || array.is_empty() {
        return array;
    }
    let made = match view {
        "flipped" => kept(array.flip(-1).copy()).map(|array| array.flip(-1)),
        "turned" => kept(array.transpose().copy()).map(|array| array.transpose()),
        // Elements that are not of it on all sides.
        "apart" => {
            let margin = vec![(1, 1); rank];
            let edges: Vec<crosslane::array::Slice> =
                array.shape().iter().map(|&extent| (1..extent + 1).into()).collect();
            kept(array.pad(&margin, PadMode::Wrap)).map(|wide| wide.slice(&edges))
        }
        _ => Ok(array),
    };
    made.expect("a device copies a small array")
}

impl std::fmt::Display for Row {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        let mut short = self.0.clone();
        short.as_object_mut().expect("a case").remove("results");
        let text = short.to_string();
        f.write_str(text.get(..1500).unwrap_or(&text))
    }
}
