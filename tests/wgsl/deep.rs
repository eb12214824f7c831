//! Texts that nest deeply, each kind of nesting by itself, in threads of 1 MiB: whatever the depth, a text is refused with a place
//! in it, or it runs and gives what it should.

use crate::judge::{Judge, text};
use crate::support::devices;
use crosslane::array::PadMode;
use crosslane::{Array, Device, Elementwise, Kernel, Reduction, Scan, Stencil, einsum};

/// A kind of nesting: the text of some depth, which writes to `x[0]`, and what is written if `x[1]` is 1.
struct Kind {
    name: &'static str,
    text: fn(usize) -> String,
    writes: fn(usize) -> u32,
    /// Whether such a text is WGSL at all.
    is_right: bool,
}

/// A kernel of declarations and a body.
fn of(declarations: &str, body: &str) -> String {
    format!(
        "@group(0) @binding(0) var<storage, read_write> x: array<u32>;\n{declarations}\n@compute @workgroup_size(1) fn main() {{ {body} }}"
    )
}

/// A body that writes a value, which stands inside something so many times.
fn inside(open: &str, value: &str, close: &str, depth: usize) -> String {
    of("fn f(a: u32) -> u32 { return a; }", &format!("x[0] = {}{value}{};", open.repeat(depth), close.repeat(depth)))
}

fn all(depth: usize, each: impl Fn(usize) -> String) -> String {
    (1..=depth).map(each).collect()
}

const KINDS: &[Kind] = &[
    Kind {
        name: "~",
        text: |n| inside("~", "x[1]", "", n),
        writes: |n| if n % 2 == 0 { 1 } else { !1 },
        is_right: true,
    },
    Kind {
        name: "- ",
        text: |n| inside("", &format!("u32({}i32(x[1]))", "- ".repeat(n - n % 2)), "", 1),
        writes: |_| 1,
        is_right: true,
    },
    Kind {
        name: "!",
        text: |n| inside("", &format!("u32({}(x[1] == 1u))", "!".repeat(n)), "", 1),
        writes: |n| (n % 2 == 0) as u32,
        is_right: true,
    },
    Kind {
        name: "&*",
        text: |n| inside("", &format!("({}&x[1])", "*&".repeat(n) + "*"), "", 1),
        writes: |_| 1,
        is_right: true,
    },
    Kind { name: "(", text: |n| inside("(", "x[1]", ")", n), writes: |_| 1, is_right: true },
    Kind { name: "sum", text: |n| inside("x[1] + ", "x[1]", "", n), writes: |n| n as u32 + 1, is_right: true },
    Kind {
        name: "sum to the right",
        text: |n| inside("x[1] + (", "x[1]", ")", n),
        writes: |n| n as u32 + 1,
        is_right: true,
    },
    Kind { name: "call", text: |n| inside("f(", "x[1]", ")", n), writes: |_| 1, is_right: true },
    Kind { name: "max", text: |n| inside("max(1u, ", "x[1]", ")", n), writes: |_| 1, is_right: true },
    Kind { name: "select", text: |n| inside("select(7u, ", "x[1]", ", x[1] == 1u)", n), writes: |_| 1, is_right: true },
    Kind { name: "bitcast", text: |n| inside("bitcast<u32>(", "x[1]", ")", n), writes: |_| 1, is_right: true },
    Kind { name: "index in an index", text: |n| inside("x[", "1u", "]", n), writes: |_| 1, is_right: true },
    Kind { name: "constant", text: |n| inside("(1u + ", "1u", ")", n), writes: |n| n as u32 + 1, is_right: true },
    Kind {
        name: "&& to the right",
        text: |n| {
            let terms = "x[1] == 1u && (".repeat(n);
            of("", &format!("x[0] = u32({terms} true{});", ")".repeat(n)))
        },
        writes: |_| 1,
        is_right: true,
    },
    Kind {
        name: "&&",
        text: |n| of("", &format!("x[0] = u32({} true);", "x[1] == 1u && ".repeat(n))),
        writes: |_| 1,
        is_right: true,
    },
    Kind {
        name: "block",
        text: |n| of("", &format!("{} x[0] = 7u; {}", "{".repeat(n), "}".repeat(n))),
        writes: |_| 7,
        is_right: true,
    },
    Kind {
        name: "if",
        text: |n| of("", &format!("{} x[0] = 7u; {}", "if x[1] == 1u {".repeat(n), "}".repeat(n))),
        writes: |_| 7,
        is_right: true,
    },
    Kind {
        name: "else if",
        text: |n| of("", &(all(n, |i| format!("if x[1] == {}u {{ x[0] = 3u; }} else ", i + 1)) + "{ x[0] = 7u; }")),
        writes: |_| 7,
        is_right: true,
    },
    Kind {
        name: "loop",
        text: |n| {
            let open = all(n, |i| format!("for (var i{i} = 0u; i{i} < x[1]; i{i}++) {{"));
            of("", &format!("var s = 0u; {open} s += 1u; {} x[0] = s;", "}".repeat(n)))
        },
        writes: |_| 1,
        is_right: true,
    },
    Kind {
        name: "switch in a switch",
        text: |n| {
            of("", &format!("{} x[0] = 7u; {}", "switch x[1] { case 1u: {".repeat(n), "} default: {} }".repeat(n)))
        },
        writes: |_| 7,
        is_right: true,
    },
    Kind {
        name: "clauses",
        text: |n| {
            let each = all(n, |i| format!("case {}u: {{ x[0] = {}u; }}\n", 2 * i - 1, i + 5));
            of("", &format!("switch x[1] + {}u {{ {each} default: {{ x[0] = 3u; }} }}", 2 * n - 2))
        },
        writes: |n| n as u32 + 5,
        is_right: true,
    },
    Kind {
        name: "clauses, none taken",
        text: |n| {
            let each = all(n, |i| format!("case {}u: {{ x[0] = {}u; }}\n", 2 * i, i + 5));
            of("", &format!("switch x[1] {{ {each} case 17u, default: {{ x[0] = 3u; }} }}"))
        },
        writes: |_| 3,
        is_right: true,
    },
    Kind {
        name: "arrays of arrays",
        text: |n| {
            let ty = format!("{}u32{}", "array<".repeat(n), ", 1>".repeat(n));
            let place = format!("p{}", "[0]".repeat(n));
            of(&format!("var<private> p: {ty};"), &format!("{place} = 7u; x[0] = {place};"))
        },
        writes: |_| 7,
        is_right: true,
    },
    Kind {
        name: "structures",
        text: |n| {
            let each = all(n, |i| format!("struct S{i} {{ s: S{} }}\n", i - 1));
            let place = format!("p{}.v", ".s".repeat(n));
            of(
                &format!("struct S0 {{ v: u32 }} {each} var<private> p: S{n};"),
                &format!("{place} = 7u; x[0] = {place};"),
            )
        },
        writes: |_| 7,
        is_right: true,
    },
    Kind {
        name: "aliases",
        text: |n| {
            of(
                &format!("alias T0 = u32; {}", all(n, |i| format!("alias T{i} = T{};", i - 1))),
                &format!("x[0] = T{n}(7u);"),
            )
        },
        writes: |_| 7,
        is_right: true,
    },
    Kind {
        name: "constants",
        text: |n| {
            of(
                &format!("const c0 = 0u; {}", all(n, |i| format!("const c{i} = c{} + 1u;", i - 1))),
                &format!("x[0] = c{n};"),
            )
        },
        writes: |n| n as u32,
        is_right: true,
    },
    Kind {
        name: "overrides",
        text: |n| {
            let each = all(n, |i| format!("override o{i}: u32 = o{} + 1u;", i - 1));
            of(&format!("override o0: u32 = 0u; {each}"), &format!("x[0] = o{n};"))
        },
        writes: |n| n as u32,
        is_right: true,
    },
    Kind {
        name: "lets",
        text: |n| {
            of("", &format!("let a0 = x[1]; {} x[0] = a{n};", all(n, |i| format!("let a{i} = a{} + 1u;", i - 1))))
        },
        writes: |n| n as u32 + 1,
        is_right: true,
    },
    Kind {
        name: "functions",
        text: |n| {
            let each = all(n, |i| format!("fn f{i}() -> u32 {{ return f{}() + 1u; }}\n", i - 1));
            of(&format!("fn f0() -> u32 {{ return x[1]; }} {each}"), &format!("x[0] = f{n}();"))
        },
        writes: |n| n as u32 + 1,
        is_right: true,
    },
    Kind {
        name: "comments",
        text: |n| of("", &format!("{} {} x[0] = 7u;", "/* ".repeat(n), "*/ ".repeat(n))),
        writes: |_| 7,
        is_right: true,
    },
    Kind {
        name: "attributes",
        text: |n| of("", "x[0] = 7u;").replace("size(1)", &format!("size({}1{})", "(".repeat(n), ")".repeat(n))),
        writes: |_| 7,
        is_right: true,
    },
    Kind {
        name: "semicolons",
        text: |n| of("", &format!("x[0] = 7u; {}", ";".repeat(n))),
        writes: |_| 7,
        is_right: true,
    },
    Kind {
        name: "members of nothing",
        text: |n| of("", &format!("x[0] = x[1]{};", "\n._a".repeat(n))),
        writes: |_| 0,
        is_right: false,
    },
    Kind {
        name: "pointers to pointers",
        text: |n| of(&format!("fn g(p: {}u32) {{}}", "ptr<function, ".repeat(n) + &">".repeat(n)), ""),
        writes: |_| 0,
        is_right: false,
    },
];

const DEPTHS: [usize; 6] = [10, 60, 240, 990, 5_000, 60_000];

/// Runs work on a stack of 1 MiB, as some threads of programs and of test runners have.
fn on_small_stack<R: Send>(work: impl FnOnce() -> R + Send) -> R {
    std::thread::scope(|scope| {
        std::thread::Builder::new().stack_size(1 << 20).spawn_scoped(scope, work).unwrap().join().unwrap()
    })
}

#[test]
fn texts_of_any_depth() {
    let compiled = ["cpu:checked", "cpu:interpreted", "cpu:compiled"].map(|name| Device::open(name).unwrap());
    let judges: Vec<Judge> = devices().iter().chain(&compiled).map(Judge::from).chain(text()).collect();
    on_small_stack(|| {
        for kind in KINDS {
            for depth in DEPTHS {
                let told = format!("{} {depth}", kind.name);
                match Kernel::wgsl(&(kind.text)(depth)) {
                    Ok(kernel) => {
                        assert!(kind.is_right, "{told}: it is accepted");
                        judges.iter().for_each(|judge| runs(kind, depth, &kernel, judge));
                    }
                    Err(error) => {
                        let error = error.to_string();
                        let says = ["wgsl:", "wanted at most"].iter().any(|part| error.contains(part));
                        assert!(says && depth > 10 || !kind.is_right, "{told}: {error}");
                    }
                }
            }
        }
    });
}

/// What a kernel writes is right, or the device says that it nests too deeply.
fn runs(kind: &Kind, depth: usize, kernel: &Kernel, judge: &Judge) {
    // SwiftShader compiles loops in loops for minutes, and drivers thousands of clauses. Values made of one another they compile fast, on
    // a large stack (docs/guide/drivers.md); 60,000 of them took more memory than a machine of 24 GB has. g++ takes a third of a second
    // a text.
    let most = if kind.name == "lets" { 5_000 } else { 240 };
    let too_deep = depth > most && !judge.is("cpu ");
    let loops = kind.name == "loop" && depth > 10 && judge.is("SwiftShader");
    if loops || too_deep || judge.is("cuda text") && depth != 60 {
        return;
    }
    let told = format!("{} {depth} on {}", kind.name, judge.name());
    match judge.run_kernel(kernel, [1; 3], &[vec![0, 1]]) {
        Ok(got) => assert_eq!(got[0][0], (kind.writes)(depth), "{told}"),
        Err(error) => assert!(error.contains("inside one another") && depth > 10, "{told}: {error}"),
    }
}

/// Formulas are texts too.
#[test]
fn formulas_of_any_depth() {
    let device = Device::open("cpu").unwrap();
    let run = |depth: usize, open: &str, close: &str| -> Vec<Result<Vec<f32>, String>> {
        let x = Array::from_slice(&device, &[1.0f32, 2.0]);
        let formula = |value: &str| format!("{}{value}{}", open.repeat(depth), close.repeat(depth));
        let map = || Elementwise::new("x: f32", &format!("z: f32 = {}", formula("x")))?.call(&x);
        let reduced = || Reduction::new("x: f32", &formula("x"), "a + b", "z: f32 = a", "0.0")?.call_axes(&x, 0);
        let stencil = || Stencil::new(&formula("u(0)"))?.run(&x, 1, PadMode::Edge);
        let equation = format!("{}i->i{}", open.repeat(depth), close.repeat(depth));
        let all: [Result<Array<f32>, crosslane::Error>; 6] = [
            map(),
            reduced(),
            stencil(),
            Ok(x.reduce(&formula("(a + b)"), 0.0)),
            Ok(Scan::new(&formula("(a + b)"), "0.0").call(&x)),
            einsum(&equation, &[&x]),
        ];
        all.map(|array| array.and_then(|array| array.to_vec()).map_err(|error| error.to_string())).into()
    };
    on_small_stack(|| {
        for (open, close) in [("- ", ""), ("(", ")"), ("abs(", ")"), ("1.0 * ", "")] {
            for depth in [10, 100, 480, 5_000, 60_000] {
                let outcomes = run(depth, open, close);
                let deep = |outcome: &Result<_, String>| outcome.as_ref().is_err_and(|error| error.contains("wanted"));
                if depth >= 1000 {
                    assert!(outcomes[..5].iter().all(deep), "{open} {depth}: {outcomes:.300?}");
                } else if depth < 200 || !outcomes[..5].iter().any(deep) {
                    assert_eq!(outcomes[0], Ok(vec![1.0, 2.0]), "{open} {depth}");
                    assert_eq!(outcomes[3], Ok(vec![3.0]), "{open} {depth}");
                }
            }
        }
    });
}
