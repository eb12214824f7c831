//! The statistics of rows as WGSL: what a state is, how it comes from values, how states merge, what values become.

use super::Normalisation;

/// How rows lie in a kernel.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Lay {
    /// Values that are loaded at once.
    pub width: u32,
    /// Whether these belong to neighbouring rows.
    pub columns: bool,
}

/// A normalisation without its numbers.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Kind {
    Softmax,
    LogSoftmax,
    LogSumExp,
    Layer,
    Rms,
    MeanVariance,
}

impl Normalisation {
    /// The name, as the method of `crosslane::Array`.
    pub fn name(self) -> &'static str {
        self.kind().name()
    }

    pub(super) fn kind(self) -> Kind {
        match self {
            Normalisation::Softmax => Kind::Softmax,
            Normalisation::LogSoftmax => Kind::LogSoftmax,
            Normalisation::LogSumExp => Kind::LogSumExp,
            Normalisation::Layer { .. } => Kind::Layer,
            Normalisation::Rms { .. } => Kind::Rms,
            Normalisation::MeanVariance { .. } => Kind::MeanVariance,
        }
    }
}

impl Kind {
    /// The names of its numbers, which are parameters.
    pub fn scalars(self) -> &'static [&'static str] {
        match self {
            Kind::Layer => &["epsilon"],
            Kind::Rms => &["epsilon", "length"],
            Kind::MeanVariance => &["freedom"],
            _ => &[],
        }
    }

    /// Whether exponentials are in it.
    pub fn is_exponential(self) -> bool {
        matches!(self, Kind::Softmax | Kind::LogSoftmax | Kind::LogSumExp)
    }

    /// The name, as the method of `crosslane::Array`.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Softmax => "softmax",
            Kind::LogSoftmax => "log_softmax",
            Kind::LogSumExp => "logsumexp",
            Kind::Layer => "layer_norm",
            Kind::Rms => "rms_norm",
            Kind::MeanVariance => "mean_variance",
        }
    }

    /// The numbers of a state. `low` is what the mean was rounded by: a row's mean may be far smaller than its values, and
    /// so than its distance from the pivot, which its error would be a part of.
    pub(super) fn fields(self) -> &'static [&'static str] {
        match self {
            Kind::Rms => &["total"],
            Kind::Layer => &["count", "mean", "squares"],
            Kind::MeanVariance => &["count", "mean", "squares", "low"],
            _ => &["top", "total"],
        }
    }

    /// The numbers of a state in memory: the pivot too, which others need not share.
    pub(super) fn part_fields(self) -> Vec<&'static str> {
        let pivot = if self.has_pivot() { Some("zero") } else { None };
        self.fields().iter().copied().chain(pivot).collect()
    }

    /// `State`, `identity`, `combine` and, for subgroups, `crossed` and `merge_subgroup`.
    pub(super) fn state_text(self, lay: Lay, subgroups: bool) -> String {
        let list = |of: &dyn Fn(&str) -> String| self.fields().iter().map(|f| of(f)).collect::<Vec<_>>().join(", ");
        let identity = list(&|field| if field == "top" { "Stat(LOWEST)".into() } else { "Stat(0.0)".into() });
        let combine = match self.fields() {
            ["total"] => "    return State(a.total + b.total);\n",
            ["top", "total"] => {
                "    let top = max(a.top, b.top);\n    \
                 return State(top, a.total * falling(a.top - top) + b.total * falling(b.top - top));\n"
            }
            ["count", "mean", "squares", "low"] => EXACT_COMBINE,
            // Chan, Golub and LeVeque, Algorithms for computing the sample variance, 1983. The mean in this form is
            // infinite where one of them is. A state of none adds 0, though the square of a gap is infinite.
            _ => {
                "    let count = a.count + b.count;\n    let most = max(count, Stat(1.0));\n    \
                 let gap = b.mean - a.mean;\n    let weight = a.count * b.count / most;\n    \
                 return State(count, (a.count * a.mean + b.count * b.mean) / most,\n        \
                 a.squares + b.squares + select(gap * gap * weight, Stat(0.0), weight == Stat(0.0)));\n"
            }
        };
        let mut text = format!(
            "struct State {{ {} }}\nfn identity() -> State {{ return State({identity}); }}\n\
             fn combine(a: State, b: State) -> State {{\n{combine}}}\n",
            list(&|field| format!("{field}: Stat"))
        );
        match self.fields().len() {
            2 => text += &self.exponential_text(lay),
            4 => text += LOST,
            _ => {}
        }
        if subgroups {
            let crossed = list(&|field| format!("subgroupShuffleXor(state.{field}, reach)"));
            text += &format!(
                "fn crossed(state: State, reach: u32) -> State {{ return State({crossed}); }}\n\
                 fn merge_subgroup(s: State) -> State {{\n{}}}\n",
                self.merge_text()
            );
        }
        text
    }

    /// As `combine`, of all states of a subgroup at once.
    fn merge_text(self) -> &'static str {
        match self.fields() {
            ["total"] => "    return State(subgroupAdd(s.total));\n",
            ["top", "total"] => {
                "    let top = subgroupMax(s.top);\n    \
                 return State(top, subgroupAdd(s.total * falling(s.top - top)));\n"
            }
            ["count", "mean", "squares", "low"] => {
                "    let count = subgroupAdd(s.count);\n    let most = max(count, Stat(1.0));\n    \
                 let mean = subgroupAdd(s.count * s.mean) / most;\n    let gap = s.mean - mean;\n    \
                 let low = subgroupAdd(s.count * (gap + s.low)) / most;\n    \
                 return State(count, mean, subgroupAdd(s.squares + s.count * gap * gap), \
                 select(Stat(0.0), low, finite(mean)));\n"
            }
            _ => {
                "    let count = subgroupAdd(s.count);\n    \
                 let mean = subgroupAdd(s.count * s.mean) / max(count, Stat(1.0));\n    \
                 let gap = s.mean - mean;\n    \
                 return State(count, mean, subgroupAdd(s.squares + s.count * gap * gap));\n"
            }
        }
    }

    /// Exponentials and logarithms of states, and the exponential that values get.
    fn exponential_text(self, lay: Lay) -> String {
        // The shared functions are as wide as values are.
        let narrow = lay.width > 1 && !lay.columns;
        let of = |function: &str| if narrow { format!("{function}(F(x)).x") } else { format!("{function}(x)") };
        format!(
            "const LOWEST = -3.4028234663852886e38;\nfn falling(x: Stat) -> Stat {{ return {}; }}\n\
             fn logarithm(x: Stat) -> Stat {{ return {}; }}\n",
            of("m_exp_falling"),
            of("m_log")
        )
    }

    /// Values that are not there: the least of all, or nothing to a sum.
    pub(super) fn missing(self) -> &'static str {
        if self.is_exponential() { "LOWEST" } else { "0.0" }
    }

    /// Whether values are taken as distances from one of the row: then nothing cancels where they are far from 0.
    pub(super) fn has_pivot(self) -> bool {
        matches!(self, Kind::Layer | Kind::MeanVariance)
    }

    /// `lift`: the state of units `v0`, `v1` and so on, which become what is held; the last one may end after `end`.
    pub(super) fn lift_text(self, lay: Lay, [lifted, values]: [&str; 2], items: u32, masked: bool) -> String {
        let last = |n: u32| masked && n + 1 == items;
        let only = |n: u32, value: String| match last(n) {
            true => format!("within({value}, r + {n}u * STEP, end, 0.0)"),
            false => value,
        };
        let all = |of: &dyn Fn(u32) -> String| (0..items).map(of).collect::<Vec<String>>();
        let lines = |name: &str, of: &dyn Fn(u32) -> String| -> String {
            (0..items).map(|n| format!("    let {name}{n} = {};\n", of(n))).collect()
        };
        let sum = |of: &dyn Fn(u32) -> String| tree(all(of), &|a, b| format!("({a} + {b})"));
        let named = |name: &'static str| move |n: u32| format!("{name}{n}");
        let (body, held) = match self.fields() {
            ["total"] => (format!("    let state = State(fold({}));\n", sum(&|n| format!("v{n} * v{n}"))), "v"),
            ["top", "total"] => {
                let top = tree(all(&named("v")), &|a, b| format!("max({a}, {b})"));
                // An infinite sum has an infinite logarithm; a share of it is NaN.
                let (top, exp) = match self {
                    Kind::LogSumExp => (format!("min(peak({top}), Stat(-LOWEST))"), "m_exp"),
                    _ => (format!("peak({top})"), "m_exp_falling"),
                };
                let exponentials = lines("e", &|n| only(n, format!("{exp}(v{n} - Wide(top))")));
                let held = if self == Kind::Softmax { "e" } else { "v" };
                (
                    format!(
                        "    let top = max({top}, Stat(LOWEST));\n{exponentials}    let state = State(top, fold({}));\n",
                        sum(&named("e"))
                    ),
                    held,
                )
            }
            _ => {
                let count = match masked {
                    true => {
                        let width = if lay.columns { 1 } else { lay.width };
                        let last = format!("r + {}u * STEP", items - 1);
                        format!("Stat(Number({}u + min({width}u, end - min(end, {last}))))", (items - 1) * width)
                    }
                    false => format!("Stat({}.0)", items * if lay.columns { 1 } else { lay.width }),
                };
                let low = if self.fields().len() == 4 { ", Stat(0.0)" } else { "" };
                let distances = lines("d", &|n| only(n, format!("v{n} - Wide(mean)")));
                (
                    format!(
                        "    let count = {count};\n    let mean = fold({}) / max(count, Stat(1.0));\n{distances}    \
                         let state = State(count, mean, fold({}){low});\n",
                        sum(&named("v")),
                        sum(&|n| format!("d{n} * d{n}"))
                    ),
                    "v",
                )
            }
        };
        let taken = lines("v", &|n| match last(n) {
            true => format!("taken_within(k, r + {n}u * STEP, end, zero)"),
            false => format!("taken(k, r + {n}u * STEP, zero)"),
        });
        format!("{taken}{body}    return {lifted}(state, {values}({}));\n", all(&named(held)).join(", "))
    }

    /// `Row`, `settle`, `kept` and `close`: what a row gives to its values, what is held of a value, and what that becomes.
    /// `own` is the state by which values are held, `whole` that of the row.
    pub(super) fn row_text(self, epsilon: &str, length: &str) -> String {
        let root = |mean_square: &str| format!("Stat(1.0) / sqrt({mean_square} + Stat({epsilon}))");
        let (shift, scale) = match self {
            Kind::Softmax => ("Stat(0.0)", "falling(own.top - whole.top) / whole.total".into()),
            Kind::LogSoftmax => ("whole.top", "logarithm(whole.total)".into()),
            Kind::Rms => ("Stat(0.0)", root(&format!("whole.total / Stat({length})"))),
            _ => ("whole.mean", root("whole.squares / whole.count")),
        };
        let kept = if self == Kind::Softmax { "m_exp_falling(v - Wide(whole.top))" } else { "v" };
        let close = match self {
            Kind::Softmax | Kind::Rms => "v * Wide(row.scale)",
            Kind::LogSoftmax => "v - Wide(row.shift) - Wide(row.scale)",
            _ => "(v - Wide(row.shift)) * Wide(row.scale)",
        };
        format!(
            "struct Row {{ shift: Stat, scale: Stat }}\n\
             fn settle(own: State, whole: State) -> Row {{ return Row({shift}, {scale}); }}\n\
             fn kept(v: Wide, whole: State) -> Wide {{ return {kept}; }}\n\
             fn close(v: Wide, row: Row) -> Wide {{ return {close}; }}\n"
        )
    }

    /// What a row comes to, of the state `s` by the pivot `zero`: one expression for each output.
    pub(super) fn results(self, freedom: &str) -> Vec<String> {
        match self {
            Kind::LogSumExp => vec!["s.top + logarithm(s.total)".into()],
            _ => vec!["mean_of(s, zero)".into(), format!("s.squares / max(s.count - Stat({freedom}), Stat(0.0))")],
        }
    }
}

/// Chan, Golub and LeVeque's formulas, and what each step rounds the mean by kept beside it. Where the distance of two means
/// is no number, the mean of both in the form that is infinite where one of them is.
const EXACT_COMBINE: &str = "    let count = a.count + b.count;
    let most = max(count, Stat(1.0));
    let gap = (b.mean - a.mean) + (b.low - a.low);
    let way = gap * (b.count / most);
    let mean = a.mean + way;
    let low = a.low + lost(a.mean, way, mean);
    let apart = a.mean * (a.count / most) + b.mean * (b.count / most);
    let near = finite(mean);
    let empty = a.count == Stat(0.0);
    let weight = a.count * b.count / most;
    return State(count, select(select(apart, mean, near), b.mean, empty),
        a.squares + b.squares + select(gap * gap * weight, Stat(0.0), weight == Stat(0.0)),
        select(select(Stat(0.0), low, near), b.low, empty));
";

/// What a sum was rounded by (Knuth, 1969), and the mean of a state by the pivot `zero`. Maxima with the least number keep
/// compilers from cancelling.
const LOST: &str = "fn lost(a: Stat, b: Stat, sum: Stat) -> Stat {
    let s = max(sum, Stat(FLOOR));
    let c = max(s - a, Stat(FLOOR));
    return (a - max(s - c, Stat(FLOOR))) + (b - c);
}
fn mean_of(s: State, zero: Stat) -> Stat {
    let mean = zero + s.mean;
    return select(mean, mean + (lost(zero, s.mean, mean) + s.low), finite(mean));
}
";

/// Neighbours combined until one is left: a sum has few roundings, and no operation waits for more than a few.
fn tree(mut parts: Vec<String>, join: &dyn Fn(&str, &str) -> String) -> String {
    while parts.len() > 1 {
        parts = parts.chunks(2).map(|pair| if let [a, b] = pair { join(a, b) } else { pair[0].clone() }).collect();
    }
    parts.remove(0)
}
