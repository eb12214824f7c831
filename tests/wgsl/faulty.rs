//! Small kernels with one defect each, which a sanitizer must find: `// FINDING: kind` stands on the lines where it
//! happens, and where a value that was read wrongly is used. Here is only checked that naga lets them through and what they say; most cannot be run without harm.

/// A kernel of `faulty/`, the grid, and its buffers.
pub struct Case {
    pub name: &'static str,
    pub source: &'static str,
    pub grid: [u32; 3],
    pub buffers: &'static [Buffer],
}

/// What a binding holds before.
#[derive(Clone, Copy, Debug)]
pub enum Buffer {
    /// So many zeros.
    Zeros(usize),
    /// So many words 0, 1, 2, ...
    Counting(usize),
    /// So many words, never written.
    Fresh(usize),
}
use Buffer::*;

macro_rules! case {
    ($name:literal, $grid:expr, $buffers:expr) => {
        Case { name: $name, source: include_str!(concat!("faulty/", $name, ".wgsl")), grid: $grid, buffers: $buffers }
    };
}

/// Every kernel of `faulty/`.
pub const CASES: &[Case] = &[
    case!("race_within", [1, 1, 1], &[Counting(64), Zeros(64)]),
    case!("race_within_missing_second_barrier", [1, 1, 1], &[Counting(256), Zeros(64)]),
    case!("race_between", [2, 1, 1], &[Zeros(64)]),
    case!("race_read_write_storage", [2, 1, 1], &[Counting(128)]),
    case!("race_within_flag", [1, 1, 1], &[Zeros(2)]),
    case!("out_of_bounds_read", [1, 1, 1], &[Counting(64), Zeros(64)]),
    case!("out_of_bounds_read_negative", [1, 1, 1], &[Counting(64), Zeros(64)]),
    case!("out_of_bounds_read_condition", [1, 1, 1], &[Counting(64), Zeros(64)]),
    case!("out_of_bounds_read_index", [1, 1, 1], &[Counting(64), Zeros(64)]),
    case!("out_of_bounds_read_condition_of_select", [1, 1, 1], &[Counting(64), Zeros(64)]),
    case!("out_of_bounds_read_times_zero", [1, 1, 1], &[Counting(64), Zeros(64)]),
    case!("out_of_bounds_read_atomic", [1, 1, 1], &[Counting(64), Zeros(1)]),
    case!("out_of_bounds_write", [2, 1, 1], &[Zeros(100)]),
    case!("out_of_bounds_write_workgroup", [1, 1, 1], &[Zeros(64)]),
    case!("uninitialised_workgroup", [1, 1, 1], &[Counting(64), Zeros(64)]),
    case!("uninitialised_storage", [1, 1, 1], &[Fresh(64), Zeros(64)]),
    case!("uninitialised_storage_condition", [1, 1, 1], &[Fresh(64), Zeros(64)]),
    case!("divergent_barrier", [1, 1, 1], &[Counting(64), Zeros(64)]),
    case!("divergent_barrier_return", [1, 1, 1], &[Counting(40), Zeros(64)]),
    case!("index_overflow", [1, 1, 1], &[Counting(64), Zeros(64)]),
    case!("index_overflow_variable", [1, 1, 1], &[Counting(64), Zeros(64)]),
    case!("index_overflow_function", [1, 1, 1], &[Counting(64), Zeros(64)]),
    case!("spin", [4, 1, 1], &[Counting(4), Zeros(4), Zeros(4)]),
    case!("endless_loop", [1, 1, 1], &[Counting(64)]),
    case!("nan", [1, 1, 1], &[Zeros(64), Zeros(64)]),
];

/// The kinds of findings.
pub const KINDS: &[&str] = &[
    "race_within",
    "race_between",
    "race_read_write_storage",
    "out_of_bounds_read",
    "out_of_bounds_write",
    "uninitialised_workgroup",
    "uninitialised_storage",
    "divergent_barrier",
    "index_overflow",
    "spin",
    "endless_loop",
    "nan",
];

impl Case {
    /// The expected kind, and its lines, counted from 1.
    pub fn finding(&self) -> (&'static str, Vec<usize>) {
        let marks =
            (1..).zip(self.source.lines()).filter_map(|(n, line)| Some((n, line.split_once("// FINDING: ")?.1)));
        let (lines, kinds): (Vec<usize>, Vec<&'static str>) = marks.unzip();
        let kind = *kinds.first().expect("a faulty kernel says what is wrong");
        assert!(kinds.iter().all(|other| *other == kind), "{} has one kind of defect", self.name);
        (kind, lines)
    }
}

#[test]
fn naga_lets_them_through() {
    for case in CASES {
        let module = naga::front::wgsl::parse_str(case.source)
            .unwrap_or_else(|error| panic!("{}: {}", case.name, error.emit_to_string(case.source)));
        naga::valid::Validator::new(naga::valid::ValidationFlags::all(), naga::valid::Capabilities::default())
            .validate(&module)
            .unwrap_or_else(|error| panic!("{}: {}", case.name, error.emit_to_string(case.source)));
        let bindings = module.global_variables.iter().filter(|(_, variable)| variable.binding.is_some()).count();
        assert_eq!(bindings, case.buffers.len(), "{}", case.name);
        assert!(case.grid.iter().all(|&n| n > 0) && case.buffers.iter().all(|buffer| buffer.words() > 0));
    }
}

impl Buffer {
    fn words(self) -> usize {
        match self {
            Zeros(words) | Counting(words) | Fresh(words) => words,
        }
    }
}

#[test]
fn each_says_what_is_wrong() {
    for case in CASES {
        let (kind, lines) = case.finding();
        assert!(KINDS.contains(&kind) && case.name.starts_with(kind), "{}: {kind}", case.name);
        assert!((1..=2).contains(&lines.len()), "{}: {lines:?}", case.name);
    }
    for kind in KINDS {
        assert!(CASES.iter().any(|case| case.finding().0 == *kind), "no kernel shows {kind}");
    }
}

/// No kernel of the folder is left out of the table.
#[test]
fn table_is_complete() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/wgsl/faulty");
    let files = std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().file_name().into_string().unwrap());
    for file in files {
        assert!(CASES.iter().any(|case| format!("{}.wgsl", case.name) == file), "{file} is not in CASES");
    }
}
