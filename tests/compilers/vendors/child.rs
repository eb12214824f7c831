//! A process whose only driver is one device's: compiles kernels, and says each before and after. What crashes its compiler takes this
//! process alone with it.

use crate::support::say;
use crosslane::Device;
use crosslane::op::Case;
use crosslane::ops::cases::ALL;
use std::collections::HashSet;

/// What a child is to do: words with a blank between.
pub const TASK: &str = "CROSSLANE_VENDOR_TASK";

/// A part of all cases.
#[derive(Clone, Debug)]
pub struct Task {
    /// Or `all`.
    pub operation: String,
    /// One case in so many, from this one on.
    pub every: usize,
    pub first: usize,
    /// Cases before this one are done.
    pub done: usize,
    /// Ends after so many seconds of the processor.
    pub seconds: u64,
    /// Ends after so many kernels.
    pub kernels: usize,
}

impl Task {
    pub fn text(&self) -> String {
        let Task { operation, every, first, done, seconds, kernels } = self;
        format!("{operation} {every} {first} {done} {seconds} {kernels}")
    }

    fn parse(text: &str) -> Task {
        let fields: Vec<&str> = text.split(' ').collect();
        let [operation, numbers @ ..] = &fields[..] else { panic!("wanted an operation and numbers, got {text:?}") };
        let number = |nth: usize| numbers[nth].parse().expect("a number");
        let (every, first, done, seconds, kernels) = (number(0), number(1), number(2), number(3) as u64, number(4));
        Task { operation: operation.to_string(), every, first, done, seconds, kernels }
    }
}

/// Compiles what the environment's task asks for. The kernels on stdin, by their identities, are compiled already.
pub fn compile(task: &str) {
    let task = Task::parse(task);
    let device = Device::open("null").unwrap();
    say(&format!("@device\t{}", device.properties().driver));
    let stdin = std::io::stdin().lines();
    let mut seen: HashSet<u64> = stdin.map(|line| line.unwrap().parse().expect("an identity")).collect();
    let (mut nth, mut compiled) = (0, 0);
    for (operation, cases) in ALL.iter().filter(|(name, _)| [*name, "all"].contains(&task.operation.as_str())) {
        for case in cases(device.caps()) {
            nth += 1;
            if nth <= task.done || nth % task.every != task.first % task.every {
                continue;
            }
            // A child that goes on begins with this case.
            say(&format!("@case\t{}", nth - 1));
            for pass in case.op.plan(device.caps()).map_or(vec![], |plan| plan.passes) {
                let identity = Case::identity(&pass.kernel);
                if !seen.insert(identity) {
                    continue;
                }
                if processor() > task.seconds as f64 {
                    return say("@end\ttime");
                }
                if compiled == task.kernels {
                    return say("@end\tkernels");
                }
                compiled += 1;
                say(&format!("@kernel\t{identity}\t{operation}\t{}, {}", case.what, pass.kernel.name()));
                let before = processor();
                match device.compile_kernel(&pass.kernel) {
                    Ok(told) => {
                        let told: Vec<String> = told.iter().map(|(name, value)| format!("{name}={value}")).collect();
                        say(&format!("@told\t{:.3}\t{}", processor() - before, told.join("\t")));
                    }
                    Err(error) => say(&format!(
                        "@refused\t{:.3}\t{}",
                        processor() - before,
                        error.to_string().replace(['\n', '\t'], " ")
                    )),
                }
            }
        }
    }
    say("@end\tall");
}

/// Seconds of the processor that this thread has had: others' load does not count.
fn processor() -> f64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").expect("Linux tells it");
    text.split(' ').next().and_then(|field| field.parse::<f64>().ok()).expect("nanoseconds") / 1e9
}
