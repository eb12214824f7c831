//! The text of small transforms over named complex numbers: what a workgroup's pass does in registers.

use std::f64::consts::TAU;
use std::fmt::Write;

/// Lines of WGSL in the making, with fresh names.
#[derive(Default)]
pub(super) struct Text {
    pub lines: String,
    /// Whether numbers are f64.
    pub double: bool,
    names: usize,
}

impl Text {
    pub fn new(double: bool) -> Text {
        Text { double, ..Text::default() }
    }

    /// A constant.
    fn number(&self, value: f64) -> String {
        if self.double { format!("{value:?}lf") } else { format!("{:?}", value as f32) }
    }

    /// A complex number times a real constant, and another one.
    fn multiply_add(&self, x: &str, factor: f64, add: &str) -> String {
        let factor = self.number(factor);
        if self.double { format!("{x} * {factor} + {add}") } else { format!("fma({x}, Pair({factor}), {add})") }
    }

    /// A line that gives a name to a value.
    pub fn name(&mut self, value: &str) -> String {
        let name = format!("v{}", self.names);
        self.names += 1;
        writeln!(self.lines, "    let {name} = {value};").expect("to a string");
        name
    }

    /// The transform of some values, forward: the sum over k of x[k] exp(-2 pi i j k / n).
    pub fn transform(&mut self, x: Vec<String>) -> Vec<String> {
        match x.len() {
            1 => x,
            2 => vec![self.name(&format!("{} + {}", x[0], x[1])), self.name(&format!("{} - {}", x[0], x[1]))],
            4 => self.composite(x, 2),
            8 => self.composite(x, 2),
            16 => self.composite(x, 4),
            _ => self.prime(x),
        }
    }

    /// Of n = a * b values: a transforms of length b, factors, b transforms of length a (Cooley and Tukey, 1965).
    fn composite(&mut self, x: Vec<String>, a: usize) -> Vec<String> {
        let (n, b) = (x.len(), x.len() / a);
        let rows: Vec<Vec<String>> =
            (0..a).map(|row| self.transform((0..b).map(|at| x[at * a + row].clone()).collect())).collect();
        let mut result = vec![String::new(); n];
        for k in 0..b {
            let column = (0..a).map(|row| self.turned(&rows[row][k], row * k, n)).collect();
            for (nth, value) in self.transform(column).into_iter().enumerate() {
                result[nth * b + k] = value;
            }
        }
        result
    }

    /// x exp(-2 pi i k / n), without a product where that is 1 or -i.
    fn turned(&mut self, x: &str, k: usize, n: usize) -> String {
        if k == 0 {
            return x.to_string();
        }
        if 4 * k == n {
            return self.name(&format!("Pair({x}.y, -{x}.x)"));
        }
        let angle = TAU * k as f64 / n as f64;
        let (c, s) = (self.number(angle.cos()), self.number(-angle.sin()));
        self.name(&format!("f_multiply({x}, Pair({c}, {s}))"))
    }

    /// Of an odd prime number of values, whose sums and differences by pairs have real factors.
    fn prime(&mut self, x: Vec<String>) -> Vec<String> {
        let (n, half) = (x.len(), x.len() / 2);
        let pairs =
            |sign: &'static str| (1..=half).map(|k| format!("{} {sign} {}", x[k], x[n - k])).collect::<Vec<_>>();
        let sums: Vec<String> = pairs("+").iter().map(|value| self.name(value)).collect();
        let differences: Vec<String> = pairs("-").iter().map(|value| self.name(value)).collect();
        let mut result = vec![String::new(); n];
        result[0] = self.name(&format!("{} + {}", x[0], sums.join(" + ")));
        for m in 1..=half {
            let factor = |k: usize| TAU * ((m * k) % n) as f64 / n as f64;
            let (mut even, mut odd) = (x[0].clone(), String::new());
            for k in 1..=half {
                even = self.multiply_add(&sums[k - 1], factor(k).cos(), &even);
                let sine = factor(k).sin();
                odd = match k {
                    1 => format!("{} * {}", differences[0], self.number(sine)),
                    _ => self.multiply_add(&differences[k - 1], sine, &odd),
                };
            }
            let (even, odd) = (self.name(&even), self.name(&odd));
            result[m] = self.name(&format!("Pair({even}.x + {odd}.y, {even}.y - {odd}.x)"));
            result[n - m] = self.name(&format!("Pair({even}.x - {odd}.y, {even}.y + {odd}.x)"));
        }
        result
    }

    /// Each value but the first times as many powers of a factor, each power of two smaller ones.
    pub fn powers(&mut self, x: Vec<String>, factor: &str) -> Vec<String> {
        let mut powers = vec![String::new(), factor.to_string()];
        for nth in 2..x.len() {
            let power = self.name(&format!("f_multiply({}, {})", powers[nth / 2], powers[nth - nth / 2]));
            powers.push(power);
        }
        let product = |(nth, x): (usize, String)| match nth {
            0 => x,
            _ => self.name(&format!("f_multiply({x}, {})", powers[nth])),
        };
        x.into_iter().enumerate().map(product).collect()
    }
}
