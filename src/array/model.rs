//! A model of evaluation under threads: shuttle runs the real code, on the checked cpu engine, in many orders of what threads
//! do at its locks. Memory that nothing wrote is garbage there, and reading it an error.

use super::*;
use crate::{Recording, eval_all, s};
use shuttle::thread;

/// Orders that are tried. Each costs about a millisecond.
const ORDERS: usize = 200;

fn check(model: impl Fn(Device) + Clone + Send + Sync + 'static) {
    let mut config = shuttle::Config::new();
    config.stack_size = 4 << 20; // naga reads kernels on it
    let run = move || model(Device::cpu_checked().unwrap());
    shuttle::Runner::new(shuttle::scheduler::PctScheduler::new(4, ORDERS), config.clone()).run(run.clone());
    shuttle::Runner::new(shuttle::scheduler::RandomScheduler::new(ORDERS), config).run(run);
}

/// Side by side; all must come back.
fn together(works: Vec<Box<dyn FnOnce() + Send>>) {
    let threads: Vec<_> = works.into_iter().map(thread::spawn).collect();
    threads.into_iter().for_each(|thread| thread.join().unwrap());
}

macro_rules! together {
    ($($work:expr),* $(,)?) => { together(vec![$(Box::new($work)),*]) };
}

/// A deferred array of two kernels, and its expected values.
fn lazy(device: &Device) -> (Array<i32>, Vec<i32>) {
    let x = Array::arange(device, 0, 6, 1).copy();
    (x.cumsum(0) + 1, vec![1, 2, 4, 7, 11, 16])
}

#[test]
fn several_evaluate_the_same() {
    check(|device| {
        let (x, wanted) = lazy(&device);
        let (y, z) = (&x * 2, &x * 3);
        let twice: Vec<i32> = wanted.iter().map(|x| x * 2).collect();
        let (sum, own) = (wanted.iter().sum::<i32>() * 3, x.clone());
        together!(
            move || assert_eq!(y.to_vec().unwrap(), twice),
            move || assert_eq!(z.sum().item().unwrap(), sum),
            move || assert_eq!(own.to_vec().unwrap(), wanted),
        );
        assert_eq!(x.sum().item().unwrap(), sum / 3);
    });
}

#[test]
fn views_and_explanations_see_nothing_of_a_plan() {
    check(|device| {
        let (x, wanted) = lazy(&device);
        let (explained, viewed, evaluated) = (x.clone(), x.clone(), x.clone());
        together!(
            move || assert!(!explained.explain().unwrap().to_string().is_empty()),
            move || assert_eq!(viewed.slice(s![2..5]).to_vec().unwrap(), &wanted[2..5]),
            move || evaluated.eval().unwrap(),
        );
    });
}

#[test]
fn a_submission_that_fails_leaves_everything_as_it_was() {
    check(|device| {
        let (x, wanted) = lazy(&device);
        // Its kernel reads what nothing wrote, which the device refuses when it runs.
        let bad = &x + &Array::<i32>::empty(&device, &[6]);
        let (with_bad, viewed, own) = (x.clone(), x.clone(), x.clone());
        let wanted = [wanted.clone(), wanted];
        let [first, second] = wanted;
        together!(
            move || assert!(eval_all(&[&with_bad, &bad]).is_err()),
            move || assert_eq!(viewed.flip(0).slice(s![..2]).to_vec().unwrap(), [first[5], first[4]]),
            move || assert_eq!(own.to_vec().unwrap(), second),
        );
    });
}

#[test]
fn assignment_changes_no_other_array() {
    check(|device| {
        let (mut x, wanted) = lazy(&device);
        let (view, later) = (x.slice(s![1..4]), &x + 1);
        let parts: Vec<i32> = wanted[1..4].to_vec();
        let more: Vec<i32> = wanted.iter().map(|x| x + 1).collect();
        together!(
            move || assert_eq!(view.to_vec().unwrap(), parts),
            move || {
                x.slice_mut(s![..3]).assign(100).unwrap();
                assert_eq!(x.to_vec().unwrap(), [100, 100, 100, 7, 11, 16]);
            },
            move || assert_eq!(later.to_vec().unwrap(), more),
        );
    });
}

#[test]
fn recordings_run_beside_evaluations() {
    check(|device| {
        let x = Array::arange(&device, 0, 6, 1).copy();
        x.eval().unwrap();
        let (y, z) = (&x + 1, &x * 2);
        let (recorded, other) = (y.clone(), y.clone());
        together!(
            move || {
                let mut recording = Recording::of(&[&recorded]).unwrap();
                recording.run().unwrap();
            },
            move || assert_eq!(other.to_vec().unwrap(), [1, 2, 3, 4, 5, 6]),
            move || assert_eq!(z.to_vec().unwrap(), [0, 2, 4, 6, 8, 10]),
        );
        assert_eq!(y.to_vec().unwrap(), [1, 2, 3, 4, 5, 6]);
    });
}
