//! A case as the file has it: steps, and what NumPy makes of them.

use crosslane::op::{Scalar, Value};
use crosslane::{DType, Element};
use serde_json::Value as Json;
use std::collections::HashMap;
use std::fmt;

/// The cases, and the numbers that inputs are drawn from.
pub struct File {
    pub seed: u64,
    pub tables: HashMap<String, String>,
    pub cases: Vec<Case>,
}

pub struct Case {
    pub id: String,
    pub steps: Vec<Step>,
    pub want: Want,
    /// Only where subnormal numbers are not flushed.
    pub subnormal: bool,
}

/// An operation, the steps that are its arguments, and parameters.
pub struct Step {
    pub op: String,
    pub args: Vec<usize>,
    params: Vec<Json>,
}

/// The result: some of its elements, and how far from each another may lie.
pub struct Want {
    pub dtype: DType,
    pub shape: Vec<usize>,
    /// Where the elements are; all if none is said.
    pub at: Option<Vec<usize>>,
    pub values: Vec<String>,
    /// One for each element, or for all; none where they are exact.
    pub bounds: Option<Vec<f64>>,
    /// Of exact results that are not whole here: a hash of each of so many parts.
    pub hashes: Vec<u32>,
    pub why: String,
}

impl File {
    pub fn parse(text: &str) -> File {
        let file: Json = serde_json::from_str(text).expect("sweep.py writes JSON");
        let tables = file["tables"].as_object().expect("tables");
        let tables =
            tables.iter().map(|(name, values)| (name.clone(), values.as_str().expect("text").into())).collect();
        let cases = file["cases"].as_array().expect("cases").iter().map(Case::of).collect();
        File { seed: file["seed"].as_u64().expect("a seed"), tables, cases }
    }
}

impl Case {
    fn of(json: &Json) -> Case {
        let steps = json["steps"].as_array().expect("steps").iter().map(Step::of).collect();
        let id = json["id"].as_str().expect("an id").into();
        Case { id, steps, want: Want::of(&json["want"]), subnormal: json["subnormal"].as_bool().unwrap_or(false) }
    }

    /// The types of inputs, casts and the result.
    pub fn types(&self) -> Vec<DType> {
        let named = |step: &Step| match step.op.as_str() {
            "input" | "cast" | "arange" | "linspace" | "eye" | "full" => Some(dtype(step.text(0))),
            _ => None,
        };
        self.steps.iter().filter_map(named).chain([self.want.dtype]).collect()
    }
}

impl Step {
    fn of(json: &Json) -> Step {
        let parts = json.as_array().expect("a step");
        let args = parts[1].as_array().expect("arguments").iter().map(|i| i.as_u64().expect("a step") as usize);
        Step { op: parts[0].as_str().expect("a name").into(), args: args.collect(), params: parts[2..].to_vec() }
    }

    pub fn has(&self, i: usize) -> bool {
        self.params.get(i).is_some_and(|param| !param.is_null())
    }

    pub fn json(&self, i: usize) -> &Json {
        &self.params[i]
    }

    pub fn text(&self, i: usize) -> &str {
        self.params[i].as_str().expect("text")
    }

    pub fn texts(&self, i: usize) -> Vec<&str> {
        self.params[i].as_array().expect("a list").iter().map(|text| text.as_str().expect("text")).collect()
    }

    pub fn int(&self, i: usize) -> isize {
        self.params[i].as_i64().expect("a whole number") as isize
    }

    pub fn size(&self, i: usize) -> usize {
        self.params[i].as_u64().expect("a size") as usize
    }

    pub fn float(&self, i: usize) -> f64 {
        self.params[i].as_f64().expect("a number")
    }

    /// Whether it is true; false where it is left out.
    pub fn flag(&self, i: usize) -> bool {
        self.params.get(i).is_some_and(|flag| flag.as_bool().expect("true or false"))
    }

    pub fn ints(&self, i: usize) -> Vec<isize> {
        self.params[i].as_array().expect("a list").iter().map(|x| x.as_i64().expect("whole") as isize).collect()
    }

    pub fn sizes(&self, i: usize) -> Vec<usize> {
        self.ints(i).into_iter().map(|x| x as usize).collect()
    }
}

impl Want {
    fn of(json: &Json) -> Want {
        let words = |key: &str| json[key].as_str().map(|text| text.split_whitespace().map(str::to_string).collect());
        let list = |key: &str| words(key).unwrap_or_default() as Vec<String>;
        let numbers = |words: Vec<String>| words.iter().map(|word| word.parse().expect("a bound")).collect();
        let shape = json["shape"].as_array().expect("a shape").iter().map(|e| e.as_u64().expect("a size") as usize);
        Want {
            dtype: dtype(json["dtype"].as_str().expect("a type")),
            shape: shape.collect(),
            at: words("at").map(|at: Vec<String>| at.iter().map(|at| at.parse().expect("a place")).collect()),
            values: list("values"),
            bounds: words("bounds").map(numbers),
            hashes: list("hashes").iter().map(|hash| u32::from_str_radix(hash, 16).expect("a hash")).collect(),
            why: json["why"].as_str().unwrap_or("exact").into(),
        }
    }
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let args = self.args.iter().map(|i| format!("%{i}"));
        let params = self.params.iter().map(|param| match param.as_str() {
            Some(text) if text.len() > 200 => format!("{}..", &text[..200]),
            _ => param.to_string(),
        });
        write!(f, "{}({})", self.op, args.chain(params).collect::<Vec<_>>().join(", "))
    }
}

/// The program, a line a step.
impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.steps.iter().enumerate().try_for_each(|(i, step)| writeln!(f, "  %{i} = {step}"))
    }
}

pub fn dtype(name: &str) -> DType {
    DType::ALL.into_iter().find(|dtype| dtype.name() == name).unwrap_or_else(|| panic!("no type {name}"))
}

/// A value from text.
pub fn parsed<T: Element>(text: &str) -> T {
    let wrong = || -> ! { panic!("{text} is no {}", T::DTYPE) };
    let value = match T::DTYPE {
        DType::F32 => {
            let x: f32 = text.parse().unwrap_or_else(|_| wrong());
            return T::from_scalar(Scalar { dtype: T::DTYPE, bits: x.to_bits() as u128 });
        }
        DType::F16 | DType::F64 => Value::Float(text.parse().unwrap_or_else(|_| wrong())),
        _ => Value::Int(text.parse().unwrap_or_else(|_| wrong())),
    };
    T::from_scalar(value.scalar(T::DTYPE))
}
