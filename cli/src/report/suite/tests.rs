//! Every problem at a tiny size on the processor, and results that are wrong.

use super::prepared::compared;
use super::*;

#[test]
fn every_problem_is_right_on_the_processor() {
    let device = Device::open("cpu").unwrap();
    let sizes = Sizes::of(Scale::Tiny, &device);
    for problem in all() {
        let prepared = (problem.prepare)(&Setting { device: &device, name: problem.name, sizes })
            .unwrap_or_else(|error| panic!("{}: {error}", problem.label()));
        assert!(prepared.n > 0 && prepared.work.bytes > 0, "{}", problem.label());
        let row = prepared.row(problem.name);
        (row.check)().unwrap_or_else(|error| panic!("{}: {error}", problem.label()));
        (row.work)().unwrap_or_else(|error| panic!("{}: {error}", problem.label()));
    }
    device.synchronize().unwrap();
}

#[test]
fn names_are_distinct_and_raja_has_twenty_at_least() {
    let mut labels: Vec<String> = all().iter().map(Problem::label).collect();
    let raja = labels.iter().filter(|label| label.starts_with("RAJAPerf")).count();
    assert!(raja >= 20, "{raja}");
    let count = labels.len();
    labels.sort();
    labels.dedup();
    assert_eq!(labels.len(), count);
}

#[test]
fn a_wrong_result_is_an_error() {
    let wanted = [1.0, -2.0, 0.0];
    compared(&wanted, &wanted, 0.0).unwrap();
    compared(&[1.0, -2.0, 1e-7], &wanted, 1e-5).unwrap(); // the mean size is 1
    for wrong in [[1.0, 2.0, 0.0], [1.0, -2.0, 1e-4], [f64::NAN, -2.0, 0.0]] {
        assert!(compared(&wrong, &wanted, 1e-5).unwrap_err().to_string().contains("wrong result at index"));
    }
    assert!(compared(&wanted[..2], &wanted, 1e-5).is_err());
}
