//! Generated programs: every device, and the CUDA text, must give the same bits.

use crate::generate::{self, INVOCATIONS, OUTPUTS, Program};
use crate::judge::{Judge, judges};
use crate::support::say;
use naga::TypeInner;
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, RngSeed, TestError, TestRunner};
use rand::{Rng, SeedableRng, rngs::StdRng};

/// Cases, times what the environment asks for.
fn cases(few: u32) -> u32 {
    let times = std::env::var("CROSSLANE_CASES").ok().and_then(|times| times.parse::<f64>().ok());
    ((few as f64 * times.unwrap_or(1.0)) as u32).max(1)
}

/// The seed of all cases, which the environment may set: another one finds other programs.
fn seed() -> u64 {
    std::env::var("CROSSLANE_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(2026)
}

/// Random bits, small numbers of both signs, and edges.
fn input(seed: u64, len: usize) -> Vec<u32> {
    let mut rng = StdRng::seed_from_u64(seed);
    let edges = [0, 1, u32::MAX, i32::MAX as u32, i32::MIN as u32, 31, 32, 0x8080_8080];
    let word = |_| match rng.random_range(0..4) {
        0 => rng.random(),
        1 => rng.random_range(-20..20i32) as u32,
        2 => edges[rng.random_range(0..edges.len())],
        _ => rng.random_range(0..64),
    };
    (0..len).map(word).collect()
}

/// What a word of `structs` holds.
#[derive(Clone, Copy, PartialEq)]
enum Word {
    /// Anything: it does not count.
    Padding,
    Integer,
    /// Zeros of both signs are the same: nobody promises the sign.
    Float,
}

/// What the words of a type hold.
fn members(module: &naga::Module, ty: naga::Handle<naga::Type>, at: usize, mask: &mut [Word]) {
    let size = module.types[ty].inner.size(module.to_ctx()) as usize / 4;
    match module.types[ty].inner {
        TypeInner::Struct { ref members, .. } => {
            members.iter().for_each(|m| self::members(module, m.ty, at + m.offset as usize / 4, mask));
        }
        TypeInner::Array { base, size: naga::ArraySize::Constant(len), stride } => {
            (0..len.get() as usize).for_each(|i| self::members(module, base, at + i * stride as usize / 4, mask));
        }
        TypeInner::Matrix { columns, rows, .. } => {
            let stride = if rows as usize == 2 { 2 } else { 4 };
            (0..columns as usize).for_each(|c| mask[at + c * stride..][..rows as usize].fill(Word::Float));
        }
        ref inner => {
            let float = inner.scalar_kind() == Some(naga::ScalarKind::Float);
            mask[at..at + size].fill(if float { Word::Float } else { Word::Integer });
        }
    }
}

/// The words of one `Outer`.
fn outer(source: &str) -> Vec<Word> {
    let module = naga::front::wgsl::parse_str(source).expect("the generator writes WGSL");
    let Some((ty, _)) = module.types.iter().find(|(_, ty)| ty.name.as_deref() == Some("Outer")) else { return vec![] };
    let mut mask = vec![Word::Padding; module.types[ty].inner.size(module.to_ctx()) as usize / 4];
    members(&module, ty, 0, &mut mask);
    mask
}

/// Whether all judges give the same, else a description of the first difference.
fn agree(judges: &[&Judge], program: &Program, seed: u64) -> Result<(), TestCaseError> {
    let fail = |text: String| Err(TestCaseError::fail(format!("{text}\ninput seed {seed}\n{}", program.source)));
    if let Err(error) = naga::front::wgsl::parse_str(&program.source) {
        return fail(error.emit_to_string(&program.source));
    }
    let used = program.words.iter().take_while(|&&words| words > 0).count();
    let mask = outer(&program.source);
    let mut buffers: Vec<_> = program.words[..used].iter().map(|&words| vec![0xcdcd_cdcd; words]).collect();
    buffers[0] = input(seed, program.words[0]);
    if used == 4 {
        // As integers and as floats: multiples of a quarter.
        let numbers = [0.0f32, 1.0, -3.0, 7.0, 0.25, -64.0];
        buffers[2] = (0..INVOCATIONS * 2 * mask.len()).map(|i| numbers[i * 7 % 6].to_bits()).collect();
        buffers[3].fill(77);
    }
    let mut first: Option<(&str, Vec<Vec<u32>>)> = None;
    for judge in judges {
        let results = match judge.run(&program.source, [2, 1, 1], &buffers) {
            Ok(results) => results,
            Err(error) => return fail(format!("{}: {error}", judge.name())),
        };
        let Some((other, wanted)) = &first else {
            first = Some((judge.name(), results));
            continue;
        };
        for (binding, (got, wanted)) in results.iter().zip(wanted).enumerate() {
            let same = |at: usize| match mask.get(at % mask.len().max(1)) {
                Some(Word::Padding) if binding == 2 => true,
                Some(Word::Float) if binding == 2 => f32::from_bits(got[at]) == f32::from_bits(wanted[at]),
                _ => got[at] == wanted[at],
            };
            let Some(at) = (0..got.len()).find(|&at| !same(at)) else { continue };
            let width = if binding == 2 { mask.len() } else { OUTPUTS };
            return fail(format!(
                "binding {binding} differs at {at} ({} of {}): {:#x} on {}, {:#x} on {other}; word(0) is input[{}]",
                at % width,
                at / width,
                got[at],
                judge.name(),
                wanted[at],
                at / width % INVOCATIONS * 7 % buffers[0].len(),
            ));
        }
    }
    Ok(())
}

fn check<const N: usize>(judges: &[&Judge], few: u32, choices: [usize; N], generate: fn([&[u16]; N]) -> Program) {
    if judges.len() < 2 {
        say("generated programs: nothing to compare with, they only run");
    }
    let config = Config {
        cases: cases(few),
        rng_algorithm: RngAlgorithm::ChaCha,
        rng_seed: RngSeed::Fixed(seed()),
        failure_persistence: None,
        max_shrink_iters: 300,
        ..Config::default()
    };
    let tapes = choices.map(|most| prop::collection::vec(any::<u16>(), 10..most));
    let run = |(tapes, seed): ([Vec<u16>; N], u64)| agree(judges, &generate(tapes.each_ref().map(Vec::as_slice)), seed);
    let result = TestRunner::new(config).run(&(tapes, any::<u64>()), run);
    match result {
        // The tape says nothing to a reader.
        Err(TestError::Fail(reason, _)) => panic!("{reason}"),
        other => other.unwrap_or_else(|error| panic!("{error}")),
    }
}

fn all() -> Vec<&'static Judge> {
    judges().collect()
}

#[test]
fn expressions() {
    check(&all(), 40, [600], generate::expressions);
}

#[test]
fn wide_expressions() {
    let wide = |judge: &&Judge| judge.caps().i64 && judge.caps().f16;
    check(&judges().filter(wide).collect::<Vec<_>>(), 40, [400], generate::wide_expressions);
}

#[test]
fn whole_programs() {
    check(&all(), 50, [80, 300, 700], generate::program);
}
