//! Efficiencies, and Pennycook's measure of performance portability.

use super::model::{Platform, Report, Row};

/// What a row's time is compared with.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Against {
    /// The least time that the platform's measured roofline allows.
    Roofline,
    /// The fastest engine of the same hardware.
    Best,
}

impl Against {
    pub const ALL: [Against; 2] = [Against::Roofline, Against::Best];

    pub fn name(self) -> &'static str {
        match self {
            Against::Roofline => "of the roofline",
            Against::Best => "of the best engine",
        }
    }
}

/// The least time in seconds by the roofline: that of memory or of arithmetic, whichever is longer.
pub fn least(row: &Row, platform: &Platform) -> f64 {
    let memory = row.bytes as f64 / platform.bytes_per_second;
    memory.max(row.flops as f64 / platform.flops_per_second)
}

/// A row's efficiency in 0..=1. A row that failed has 0. Above 1 is where arrays stay in a cache, or a kernel does several steps at
/// once: it counts as 1.
pub fn efficiency(report: &Report, row: &Row, against: Against) -> f64 {
    raw(report, row, against).clamp(0.0, 1.0)
}

/// As [`efficiency`], which may be above 1.
pub fn raw(report: &Report, row: &Row, against: Against) -> f64 {
    let (Some(spread), Some(platform)) = (row.spread(), report.platform(&row.platform)) else { return 0.0 };
    let time = match against {
        Against::Roofline => least(row, platform),
        Against::Best => best(report, row, platform),
    };
    let ratio = time / spread.median;
    if ratio.is_finite() { ratio } else { 0.0 }
}

/// The shortest median time for the problem at this size on the hardware.
fn best(report: &Report, row: &Row, platform: &Platform) -> f64 {
    let same = |other: &&Row| {
        let hardware = report.platform(&other.platform).map(|other| other.hardware.as_str());
        other.n == row.n && hardware == Some(&platform.hardware) && other.problem() == row.problem()
    };
    let times = report.rows.iter().filter(same).filter_map(|other| Some(other.spread()?.median));
    times.fold(f64::INFINITY, f64::min)
}

/// The efficiency of a problem on a platform; 0 where it was not measured.
pub fn of(report: &Report, problem: &str, platform: &str, against: Against) -> f64 {
    report.row(problem, platform).map_or(0.0, |row| efficiency(report, row, against))
}

/// Performance portability by Pennycook, Sewall and Lee (2016): the harmonic mean of the efficiencies on a set of platforms; 0 if
/// one of them is 0, or if there is none.
pub fn portability(efficiencies: impl IntoIterator<Item = f64>) -> f64 {
    let (mut count, mut sum) = (0, 0.0);
    for efficiency in efficiencies {
        count += 1;
        sum += 1.0 / efficiency.max(0.0);
    }
    // One efficiency of 0 makes the sum infinite, and the mean 0.
    if count == 0 { 0.0 } else { count as f64 / sum }
}

/// A problem's performance portability over all platforms.
pub fn of_problem(report: &Report, problem: &str, against: Against) -> f64 {
    portability(report.platforms.iter().map(|platform| of(report, problem, &platform.name, against)))
}

/// The median of the problems' performance portabilities; 0 without problems.
pub fn median_portability(report: &Report, against: Against) -> f64 {
    let mut all: Vec<f64> = report.problems().iter().map(|problem| of_problem(report, problem, against)).collect();
    all.sort_by(f64::total_cmp);
    all.get(all.len() / 2).copied().unwrap_or(0.0)
}

/// A suite's efficiency on a platform: the harmonic mean over its problems, 0 if one fails.
pub fn of_suite(report: &Report, suite: &str, platform: &str, against: Against) -> f64 {
    let problems = report.problems();
    let own = problems.iter().filter(|problem| problem.rsplit_once(' ').is_some_and(|(own, _)| own == suite));
    portability(own.map(|problem| of(report, problem, platform, against)))
}

#[cfg(test)]
mod tests {
    use super::super::model::{Measured, Spread};
    use super::*;

    #[test]
    fn portability_is_the_harmonic_mean() {
        assert_eq!(portability([]), 0.0);
        assert_eq!(portability([0.25]), 0.25);
        assert!((portability([0.5, 0.25, 1.0]) - 3.0 / 7.0).abs() < 1e-15);
        assert_eq!(portability([1.0, 1.0, 0.0]), 0.0);
        assert_eq!(portability([1.0, -1.0]), 0.0);
        assert!((portability(vec![0.1; 1000]) - 0.1).abs() < 1e-12);
    }

    fn platform(name: &str, hardware: &str) -> Platform {
        let (name, hardware) = (name.into(), hardware.into());
        let (bytes_per_second, flops_per_second) = (100.0, 1000.0);
        Platform { name, hardware, engine: "e".into(), driver: "d".into(), bytes_per_second, flops_per_second }
    }

    fn row(platform: &str, seconds: Option<f64>, flops: u64) -> Row {
        let result = match seconds {
            Some(seconds) => Measured::Right { device: None, host: Spread::of(&[seconds]).unwrap(), joules: None },
            None => Measured::Failed { why: "wrong result".into() },
        };
        let (suite, name, platform) = ("S".into(), "P".into(), platform.into());
        Row { suite, name, platform, n: 1, bytes: 100, flops, result }
    }

    #[test]
    fn rows_are_compared_with_the_roofline_and_with_the_best_engine() {
        let report = Report {
            platforms: vec![
                platform("a", "card"),
                platform("b", "card"),
                platform("c", "other"),
                platform("d", "card"),
            ],
            rows: vec![row("a", Some(2.0), 0), row("b", Some(4.0), 0), row("c", Some(1.0), 4000), row("d", None, 0)],
            ..Report::default()
        };
        let all = |against| report.rows.iter().map(|row| efficiency(&report, row, against)).collect::<Vec<_>>();
        assert_eq!(all(Against::Roofline), [0.5, 0.25, 1.0, 0.0], "4 s of arithmetic in 1 s counts as 1");
        assert_eq!(raw(&report, &report.rows[2], Against::Roofline), 4.0);
        assert_eq!(all(Against::Best), [1.0, 0.5, 1.0, 0.0]);
        assert_eq!(of(&report, "S P", "nowhere", Against::Best), 0.0);
        assert_eq!(of_suite(&report, "S", "b", Against::Roofline), 0.25);
        assert_eq!(of_suite(&report, "S", "d", Against::Roofline), 0.0);
        assert_eq!(of_problem(&report, "S P", Against::Best), 0.0, "it fails on d");
        let all = Report { platforms: report.platforms[..2].to_vec(), ..report.clone() };
        assert!((median_portability(&all, Against::Roofline) - 1.0 / 3.0).abs() < 1e-15);
        assert_eq!(median_portability(&Report::default(), Against::Best), 0.0);
    }

    #[test]
    fn quantiles_are_times_that_were_measured() {
        let times: Vec<f64> = (1..=20).map(f64::from).collect();
        let spread = Spread::of(&times).unwrap();
        assert_eq!([spread.min, spread.lower_quartile, spread.median], [1.0, 5.0, 10.0]);
        assert_eq!([spread.upper_quartile, spread.p95], [15.0, 19.0]);
        assert_eq!(Spread::of(&[3.0]).unwrap().p95, 3.0);
        assert!(Spread::of(&[]).is_none());
    }
}
