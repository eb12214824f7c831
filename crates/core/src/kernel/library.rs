//! The shared WGSL functions, linked by name: a kernel gets only the functions that it calls, directly or through
//! others.

use super::Feature;
use super::text::words;
use crate::caps::Caps;
use std::collections::{BTreeSet, HashMap};
use std::sync::LazyLock;

/// What functions are of: the caller declares types for some.
#[derive(Clone, Copy, PartialEq, PartialOrd)]
enum Of {
    Nothing,
    /// 32-bit types, as scalars or as vectors of four.
    Singles,
    /// 64-bit integers too, which not every device has.
    Longs,
    /// f64 too, which not every device has.
    Doubles,
}

/// The functions by their names.
static FUNCTIONS: LazyLock<HashMap<&'static str, (&'static str, Of)>> = LazyLock::new(|| {
    let files = [
        (include_str!("../../shaders/shared/unroll.wgsl"), Of::Nothing),
        (include_str!("../../shaders/shared/math/bits.wgsl"), Of::Singles),
        (include_str!("../../shaders/shared/math/exponentials.wgsl"), Of::Singles),
        (include_str!("../../shaders/shared/math/logarithms.wgsl"), Of::Singles),
        (include_str!("../../shaders/shared/math/angles.wgsl"), Of::Singles),
        (include_str!("../../shaders/shared/math/hyperbolic.wgsl"), Of::Singles),
        (include_str!("../../shaders/shared/math/powers.wgsl"), Of::Singles),
        (include_str!("../../shaders/shared/math/errors.wgsl"), Of::Singles),
        (include_str!("../../shaders/shared/math/inverse_errors.wgsl"), Of::Singles),
        (include_str!("../../shaders/shared/math/gamma.wgsl"), Of::Singles),
        (include_str!("../../shaders/shared/math/bessel.wgsl"), Of::Singles),
        (include_str!("../../shaders/shared/math/betainc.wgsl"), Of::Singles),
        (include_str!("../../shaders/shared/math/scaling.wgsl"), Of::Singles),
        (include_str!("../../shaders/shared/math/extremes.wgsl"), Of::Singles),
        (include_str!("../../shaders/shared/math/division.wgsl"), Of::Singles),
        (include_str!("../../shaders/shared/math/storage.wgsl"), Of::Singles),
        (include_str!("../../shaders/shared/math/complex.wgsl"), Of::Singles),
        (include_str!("../../shaders/shared/math/complex_doubles.wgsl"), Of::Doubles),
        (include_str!("../../shaders/shared/random/words.wgsl"), Of::Nothing),
        (include_str!("../../shaders/shared/random/real.wgsl"), Of::Nothing),
        (include_str!("../../shaders/shared/random/normal.wgsl"), Of::Nothing),
        (include_str!("../../shaders/shared/random/gamma.wgsl"), Of::Nothing),
        (include_str!("../../shaders/shared/random/counts.wgsl"), Of::Nothing),
        (include_str!("../../shaders/shared/random/orders.wgsl"), Of::Nothing),
        (include_str!("../../shaders/shared/random/wide.wgsl"), Of::Nothing),
        (include_str!("../../shaders/shared/math/integers.wgsl"), Of::Singles),
        (include_str!("../../shaders/shared/math/longs.wgsl"), Of::Longs),
        (include_str!("../../shaders/shared/math/doubles.wgsl"), Of::Doubles),
        (include_str!("../../shaders/shared/math/doubles_exponentials.wgsl"), Of::Doubles),
        (include_str!("../../shaders/shared/math/doubles_logarithms.wgsl"), Of::Doubles),
        (include_str!("../../shaders/shared/math/doubles_angles.wgsl"), Of::Doubles),
        (include_str!("../../shaders/shared/math/doubles_arcs.wgsl"), Of::Doubles),
        (include_str!("../../shaders/shared/math/doubles_hyperbolic.wgsl"), Of::Doubles),
        (include_str!("../../shaders/shared/math/doubles_powers.wgsl"), Of::Doubles),
        (include_str!("../../shaders/shared/math/doubles_errors.wgsl"), Of::Doubles),
        (include_str!("../../shaders/shared/math/doubles_inverse_errors.wgsl"), Of::Doubles),
        (include_str!("../../shaders/shared/math/doubles_gamma.wgsl"), Of::Doubles),
        (include_str!("../../shaders/shared/math/doubles_bessel.wgsl"), Of::Doubles),
        (include_str!("../../shaders/shared/math/doubles_betainc.wgsl"), Of::Doubles),
        (include_str!("../../shaders/shared/math/doubles_scaling.wgsl"), Of::Doubles),
    ];
    files.into_iter().flat_map(|(file, of)| split(file).map(move |(name, text)| (name, (text, of)))).collect()
});

/// The text of each function by its name. A function begins with `fn ` at the start of a line and ends with `}` there.
pub(super) fn split(text: &'static str) -> impl Iterator<Item = (&'static str, &'static str)> {
    text.match_indices("\nfn ").map(move |(at, _)| {
        let function = &text[at + 1..];
        let end = function.find("\n}").expect("a function of the library ends with a brace at the start of a line");
        let name = &function[3..function.find('(').expect("a function has parameters")];
        (name, &function[..end + 3])
    })
}

type Texts = HashMap<&'static str, &'static str>;

/// Other texts of some, for devices whose arithmetic keeps denormal numbers.
static KEPT: LazyLock<Texts> = LazyLock::new(|| split(include_str!("../../shaders/shared/order_kept.wgsl")).collect());

/// Other texts of some, for devices that multiply 64 bits.
static MULTIPLIED: LazyLock<Texts> =
    LazyLock::new(|| split(include_str!("../../shaders/shared/random/multiply_wide.wgsl")).collect());

/// What a text needs of the library.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Linked {
    pub text: String,
    /// Whether it contains functions of 32-bit types, of 64-bit integers, and of f64.
    pub singles: bool,
    pub longs: bool,
    pub doubles: bool,
}

/// The functions of the library that some texts need, each once, as a device takes them.
pub(super) fn link(texts: &[&str], caps: &Caps) -> Linked {
    // A processor's vectors of 128 bits multiply 32 bits four at a time, 64 bits in pieces.
    let multiplies = Feature::I64.there(caps) && caps.processor.is_none();
    let others = [(caps.denormals, &KEPT), (multiplies, &MULTIPLIED)];
    let other = |name: &str| others.iter().filter(|(there, _)| *there).find_map(|(_, texts)| texts.get(name).copied());
    let of = |name: &str| other(name).unwrap_or(FUNCTIONS[name].0);
    let mut wanted = BTreeSet::new();
    let mut queue = texts.to_vec();
    while let Some(text) = queue.pop() {
        for name in calls(text) {
            if let Some((name, _)) = FUNCTIONS.get_key_value(name)
                && wanted.insert(*name)
            {
                queue.push(of(name));
            }
        }
    }
    let any = |least: Of| wanted.iter().any(|name| FUNCTIONS[name].1 >= least);
    let (singles, longs, doubles) = (any(Of::Singles), any(Of::Longs), any(Of::Doubles));
    Linked { text: wanted.into_iter().map(of).collect(), singles, longs, doubles }
}

/// Whether a text calls functions whose types are scalars or vectors of four: a kernel has them for one of these only.
pub fn has_one_width(text: &str) -> bool {
    calls(text).any(|name| FUNCTIONS.get(name).is_some_and(|(_, of)| *of != Of::Nothing))
}

/// The names that are called in a text.
fn calls(text: &str) -> impl Iterator<Item = &str> {
    words(text).filter(|(at, word)| text[at + word.len()..].starts_with('(')).map(|(_, word)| word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_what_is_called_and_what_that_calls() {
        let caps = Caps::webgpu();
        assert!(FUNCTIONS.len() > 30);
        assert_eq!(link(&["let x = 1.0;"], &caps), Linked::default());
        let tanh = link(&["let y = m_tanh(x);"], &caps);
        assert!(tanh.text.contains("fn m_tanh(") && !tanh.text.contains("fn m_sin(") && tanh.singles && !tanh.doubles);
        assert!(link(&["", "let y = m_wide_abs(x);"], &caps).doubles);
        let gcd = link(&["m_i64_gcd(x, y)"], &caps);
        assert!(gcd.text.contains("fn m_u64_gcd(") && gcd.singles && gcd.longs && !gcd.doubles);
        let mark = link(&["unroll();"], &caps);
        assert!(mark.text.contains("fn unroll(") && !mark.singles);
        assert!(KEPT.len() == 7 && KEPT.keys().all(|name| FUNCTIONS.contains_key(name)));
        assert!(MULTIPLIED.len() == 1 && MULTIPLIED.keys().all(|name| FUNCTIONS.contains_key(name)));
        let of_64_bits = |caps: &Caps| link(&["let y = r_word(i, k, l, a, b);"], caps).text.contains("u64(");
        assert!(of_64_bits(&Caps::nvidia_like()) && !of_64_bits(&caps));
        let all = FUNCTIONS.iter().map(|(name, (text, _))| (name, text)).chain(&*KEPT);
        for (name, text) in all {
            let own = |called: &&str| ["m_", "c_", "r_", "x_"].iter().any(|begin| called.starts_with(begin));
            for called in calls(text).filter(own) {
                assert!(FUNCTIONS.contains_key(called), "{name} calls {called}, which is not there");
            }
        }
    }
}
