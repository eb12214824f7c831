//! Einstein's summation: an equation of axes' letters, as pairs of products in the cheapest order.

use crate::array::Array;
use crate::array::products::contract::{Kinds, contract};
use crate::array::products::matmul::{one_device, ordered};
use crate::array::reductions::reduce::reduced_node;
use crate::element::Arithmetic;
use crate::graph::{Node, broadcast, view};
use crosslane_core::error::{CallSite, Error, Result};
use crosslane_core::layout::Layout;
use crosslane_ops::{Operator, Precision};
use std::collections::HashMap;
use std::panic::Location;
use std::sync::Arc;

/// Up to this many operands the cheapest order is searched for among all; beyond, the cheapest next pair is taken.
const ALL_ORDERS: usize = 10;
/// What `...` stands for: letters that no equation has, the last axis first.
const ELLIPSIS: u32 = 0xe000;

/// Sums of products by NumPy's equations: `ij,jk->ik` is the matrix product, `ii->i` the diagonal, `ij->` the sum, `...ij->...ji`
/// transposes the last two axes. Without `->` the letters that occur once, in alphabetical order, are the result's.
///
/// Several operands are multiplied pair by pair in the order that takes the fewest operations (of up to 10 operands all
/// orders are compared; of more, the cheapest next pair is taken). Intermediate results are rounded to the type of the
/// arrays. Axes of extent 1 are repeated. Transposes and diagonals cost nothing.
///
/// ```
/// # crosslane::example(|device| {
/// use crosslane::{Array, einsum};
/// let a = Array::from_slice(device, &[1, 2, 3, 4]).reshape(&[2, 2]);
/// assert_eq!(einsum("ij,jk->ik", &[&a, &a])?.to_vec()?, [7, 10, 15, 22]);
/// assert_eq!(einsum("ii", &[&a])?.item()?, 5);
/// assert_eq!(einsum("ij,ij->j", &[&a, &a])?.to_vec()?, [10, 20]);
/// # Ok(()) });
/// ```
///
/// Errors: a text that is no equation; no operand; a number of operands or axes that differs from the equation's; one
/// letter for axes of different lengths; operands on several devices; the error that an operand holds.
#[track_caller]
pub fn einsum<T: Arithmetic>(equation: &str, operands: &[&Array<T>]) -> Result<Array<T>> {
    let at = Location::caller();
    let nodes: Vec<Arc<Node>> = operands.iter().map(|array| array.node.clone()).collect();
    evaluated(equation, &nodes, at).map(Array::of)
}

fn wrong(argument: &str, wanted: impl Into<String>, got: impl Into<String>, at: CallSite) -> Error {
    Error::argument("einsum", argument, wanted.into(), got.into(), at)
}

fn evaluated(equation: &str, nodes: &[Arc<Node>], at: CallSite) -> Result<Arc<Node>> {
    for node in nodes {
        one_device("einsum", [&nodes[0], node], at)?;
    }
    let (inputs, output) = parse(equation, nodes, at)?;
    let lengths = lengths(&inputs, nodes, at)?;
    if let Some(letter) = output.iter().find(|letter| !lengths.contains_key(letter)) {
        return Err(wrong("equation", "letters of operands in the result", format!("{letter:?} in {equation:?}"), at));
    }
    let mut terms: Vec<Term> =
        nodes.iter().zip(inputs).map(|(node, letters)| Term::new(node, letters, &lengths)).collect();
    let order = order(&terms.iter().map(|term| term.letters.clone()).collect::<Vec<_>>(), &output, &lengths);
    for (a, b) in order {
        let (b, a) = (terms.remove(b), terms.remove(a));
        let kept: Vec<char> = terms.iter().flat_map(|term| &term.letters).chain(&output).copied().collect();
        terms.push(a.times(b, &kept, at)?);
    }
    let last = terms.pop().expect("one is left").summed(&output, at)?;
    let place = |letter: &char| last.letters.iter().position(|own| own == letter).expect("it was kept");
    Ok(ordered(&last.node, &output.iter().map(place).collect::<Vec<_>>()))
}

/// The letters of each operand's axes, and of the result's.
fn parse(equation: &str, nodes: &[Arc<Node>], at: CallSite) -> Result<(Vec<Vec<char>>, Vec<char>)> {
    let text: String = equation.chars().filter(|c| !c.is_whitespace()).collect();
    let (left, right) = match text.split_once("->") {
        Some((left, right)) => (left, Some(right)),
        None => (text.as_str(), None),
    };
    let parts: Vec<&str> = left.split(',').collect();
    if parts.len() != nodes.len() {
        return Err(wrong("operands", format!("{}, as {equation:?} has", parts.len()), nodes.len().to_string(), at));
    }
    let mut inputs = vec![];
    for (part, node) in parts.iter().zip(nodes) {
        let named = part.replacen("...", "", 1).chars().count();
        let rest = node.shape.len().checked_sub(named).filter(|&rest| rest == 0 || part.contains("..."));
        let Some(rest) = rest else {
            return Err(wrong(
                "equation",
                format!("a letter for each axis of {:?}", node.shape),
                format!("{part:?}"),
                at,
            ));
        };
        inputs.push(letters(part, rest, equation, at)?);
    }
    let longest =
        inputs.iter().flatten().filter(|letter| **letter as u32 >= ELLIPSIS).map(|&letter| letter as u32).max();
    let dots = longest.map_or(0, |longest| (longest - ELLIPSIS + 1) as usize);
    let output = match right {
        Some(right) => letters(right, if right.contains("...") { dots } else { 0 }, equation, at)?,
        None => {
            let mut once: Vec<char> =
                inputs.iter().flatten().copied().filter(|letter| (*letter as u32) < ELLIPSIS).collect();
            once.retain(|letter| inputs.iter().flatten().filter(|other| *other == letter).count() == 1);
            once.sort_unstable();
            [dotted(dots), once].concat()
        }
    };
    match output.iter().enumerate().find(|(nth, letter)| output[..*nth].contains(letter)) {
        Some((_, letter)) => {
            Err(wrong("equation", "each letter of the result once", format!("{letter:?} twice in {equation:?}"), at))
        }
        None => Ok((inputs, output)),
    }
}

/// The letters that the ellipsis stands for, where it is this many axes.
fn dotted(count: usize) -> Vec<char> {
    (0..count as u32).rev().filter_map(|nth| char::from_u32(ELLIPSIS + nth)).collect()
}

fn letters(part: &str, dots: usize, equation: &str, at: CallSite) -> Result<Vec<char>> {
    let (before, after) = part.split_once("...").unwrap_or((part, ""));
    match before.chars().chain(after.chars()).find(|letter| !letter.is_ascii_alphabetic()) {
        Some(letter) => {
            Err(wrong("equation", "letters, commas, `...` and one `->`", format!("{letter:?} in {equation:?}"), at))
        }
        None => Ok([before.chars().collect(), dotted(dots), after.chars().collect::<Vec<_>>()].concat()),
    }
}

/// How long each letter's axes are; those of extent 1 are repeated.
fn lengths(inputs: &[Vec<char>], nodes: &[Arc<Node>], at: CallSite) -> Result<HashMap<char, usize>> {
    let mut lengths = HashMap::new();
    for (letter, &extent) in inputs.iter().zip(nodes).flat_map(|(letters, node)| letters.iter().zip(&node.shape)) {
        let known = lengths.entry(*letter).or_insert(extent);
        match (*known, extent) {
            (1, _) => *known = extent,
            (known, extent) if known != extent && extent != 1 => {
                let shapes: Vec<_> = nodes.iter().map(|node| format!("{:?}", node.shape)).collect();
                let name = if *letter as u32 >= ELLIPSIS { "`...`".to_string() } else { format!("{letter:?}") };
                let got = format!("{name} is {known} and {extent} in {}", shapes.join(", "));
                return Err(wrong("operands", "one length for each letter", got, at));
            }
            _ => {}
        }
    }
    Ok(lengths)
}

/// An array and its axes' letters, each once.
struct Term {
    node: Arc<Node>,
    letters: Vec<char>,
}

impl Term {
    /// Repeated letters are a diagonal.
    fn new(node: &Arc<Node>, letters: Vec<char>, lengths: &HashMap<char, usize>) -> Term {
        let full: Vec<usize> = letters.iter().map(|letter| lengths[letter]).collect();
        let node = broadcast(node, &full);
        let mut own: Vec<char> = vec![];
        letters.iter().for_each(|letter| {
            if !own.contains(letter) {
                own.push(*letter)
            }
        });
        if own.len() == letters.len() {
            return Term { node, letters };
        }
        let diagonal = |layout: &Layout| {
            let stride =
                |letter: &char| letters.iter().zip(&layout.strides).filter(|(l, _)| *l == letter).map(|(_, s)| s).sum();
            let shape = own.iter().map(|letter| lengths[letter]).collect();
            Some(Layout { shape, strides: own.iter().map(stride).collect(), offset: layout.offset })
        };
        Term { node: view(&node, &diagonal), letters: own }
    }

    /// Sums out the letters that are not needed any more.
    fn summed(self, kept: &[char], at: CallSite) -> Result<Term> {
        let gone: Vec<isize> = (0..self.letters.len())
            .filter(|&axis| !kept.contains(&self.letters[axis]))
            .map(|axis| axis as isize)
            .collect();
        if gone.is_empty() {
            return Ok(self);
        }
        let node = reduced_node(&self.node, Operator::Sum, &gone.into(), at)?;
        Ok(Term { node, letters: self.letters.into_iter().filter(|letter| kept.contains(letter)).collect() })
    }

    /// The product with another, summed over what is not kept.
    fn times(self, other: Term, kept: &[char], at: CallSite) -> Result<Term> {
        let wanted = |term: &Term| [kept, &term.letters].concat();
        let (of_a, of_b) = (wanted(&other), wanted(&self));
        let (a, b) = (self.summed(&of_a, at)?, other.summed(&of_b, at)?);
        let pick = |from: &Term, in_other: bool, keep: bool, other: &Term| -> Vec<char> {
            let fits = |l: &&char| other.letters.contains(l) == in_other && (!in_other || kept.contains(l) == keep);
            from.letters.iter().filter(fits).copied().collect()
        };
        let (batch, inner) = (pick(&a, true, true, &b), pick(&a, true, false, &b));
        let (rows, columns) = (pick(&a, false, true, &b), pick(&b, false, true, &a));
        let arranged = |term: &Term, order: &[&[char]]| {
            let order = order.concat();
            let place = |letter: &char| term.letters.iter().position(|own| own == letter).expect("it is one of them");
            ordered(&term.node, &order.iter().map(place).collect::<Vec<_>>())
        };
        let kinds = Kinds { batch: batch.len(), rows: rows.len(), columns: columns.len(), inner: inner.len() };
        let sides = [arranged(&a, &[&batch, &rows, &inner]), arranged(&b, &[&batch, &inner, &columns])];
        let dtype = a.node.dtype;
        let node = contract("einsum", [&sides[0], &sides[1]], kinds, dtype, Precision::Exact, at)?;
        Ok(Term { node, letters: [batch, rows, columns].concat() })
    }
}

/// The pairs to multiply, as places among the terms: the product is put last, the pair is taken out.
fn order(terms: &[Vec<char>], output: &[char], lengths: &HashMap<char, usize>) -> Vec<(usize, usize)> {
    let all: Vec<char> = lengths.keys().copied().collect();
    let bit = |letter: &char| 1u128 << all.iter().position(|other| other == letter).expect("it has a length").min(127);
    let mask = |letters: &[char]| letters.iter().map(bit).fold(0, |a, b| a | b);
    let size = |mask: u128| -> f64 {
        all.iter().filter(|letter| mask & bit(letter) != 0).map(|letter| lengths[letter] as f64).product()
    };
    let search = Search { terms: terms.iter().map(|term| mask(term)).collect(), output: mask(output), size: &size };
    if terms.len() <= ALL_ORDERS { search.cheapest() } else { search.greedy() }
}

/// Letters as bits.
struct Search<'a> {
    terms: Vec<u128>,
    output: u128,
    size: &'a dyn Fn(u128) -> f64,
}

impl Search<'_> {
    /// The letters of the product of a set of terms: those that another term or the result has.
    fn letters(&self, set: usize) -> u128 {
        let of = |inside: bool| {
            let terms = self.terms.iter().enumerate().filter(|(nth, _)| (set >> nth & 1 == 1) == inside);
            terms.fold(0, |letters, (_, term)| letters | term)
        };
        of(true) & (of(false) | self.output)
    }

    /// By dynamic programming over the sets of terms: the cheapest way to each is the cheapest pair of smaller ones.
    fn cheapest(&self) -> Vec<(usize, usize)> {
        let full = (1usize << self.terms.len()) - 1;
        let mut best = vec![(0.0, 0usize); full + 1];
        for set in 1..=full {
            if set.is_power_of_two() {
                continue;
            }
            best[set].0 = f64::INFINITY;
            let mut part = (set - 1) & set;
            while part > 0 {
                let rest = set & !part;
                if part > rest {
                    let cost = best[part].0 + best[rest].0 + (self.size)(self.letters(part) | self.letters(rest));
                    if cost < best[set].0 {
                        best[set] = (cost, part);
                    }
                }
                part = (part - 1) & set;
            }
        }
        let (mut pairs, mut live) = (vec![], (0..self.terms.len()).map(|nth| 1 << nth).collect());
        pair_up(full, &best, &mut live, &mut pairs);
        pairs
    }

    /// The pair whose product costs least, again and again.
    fn greedy(&self) -> Vec<(usize, usize)> {
        let mut live: Vec<u128> = self.terms.clone();
        let mut pairs = vec![];
        while live.len() > 1 {
            let choices = (0..live.len()).flat_map(|b| (0..b).map(move |a| (a, b)));
            let cost = |&(a, b): &(usize, usize)| (self.size)(live[a] | live[b]);
            let (a, b) = choices.min_by(|p, q| cost(p).total_cmp(&cost(q))).expect("two are left");
            let joined = live[a] | live[b];
            live.remove(b);
            live.remove(a);
            let others = live.iter().fold(self.output, |letters, term| letters | term);
            live.push(joined & others);
            pairs.push((a, b));
        }
        pairs
    }
}

/// The products that compute a set, the innermost first.
fn pair_up(set: usize, best: &[(f64, usize)], live: &mut Vec<usize>, pairs: &mut Vec<(usize, usize)>) {
    if set.is_power_of_two() {
        return;
    }
    let (part, rest) = (best[set].1, set & !best[set].1);
    pair_up(part, best, live, pairs);
    pair_up(rest, best, live, pairs);
    let place = |live: &[usize], set| live.iter().position(|other| *other == set).expect("it was made");
    let (a, b) = (place(live, part).min(place(live, rest)), place(live, part).max(place(live, rest)));
    live.remove(b);
    live.remove(a);
    live.push(set);
    pairs.push((a, b));
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A chain of matrices: the textbook's order, by dynamic programming and greedily.
    #[test]
    fn chains_are_multiplied_in_the_cheapest_order() {
        let lengths = HashMap::from([('i', 1000), ('j', 2), ('k', 1000), ('l', 2)]);
        let terms = ["ij", "jk", "kl"].map(|term| term.chars().collect::<Vec<_>>());
        assert_eq!(order(&terms, &['i', 'l'], &lengths), [(1, 2), (0, 1)]);
        let many: Vec<Vec<char>> = (b'a'..b'm').map(|c| vec![c as char, (c + 1) as char]).collect();
        let lengths = (b'a'..=b'm').map(|c| (c as char, 2)).collect();
        assert_eq!(order(&many, &['a', 'm'], &lengths).len(), many.len() - 1);
    }
}
