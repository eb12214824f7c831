//! A report's forms, its reading, merging and comparison, with names that HTML and CSV must escape.

use super::model::{Measured, Platform, Row, Running, Spread};
use super::*;

const NASTY: &str = "<b>&\"'</td>, vulkan";

fn platform(name: &str, hardware: &str) -> Platform {
    let (bytes_per_second, flops_per_second) = (1e9, 1e10);
    Platform {
        name: name.into(),
        hardware: hardware.into(),
        engine: "vulkan".into(),
        driver: "<script>".into(),
        bytes_per_second,
        flops_per_second,
    }
}

/// Times around a median, which differ by a part of it.
fn row(name: &str, platform: &str, median: f64, spread: f64) -> Row {
    let times: Vec<f64> = (-2..=2).map(|nth| median * (1.0 + spread * f64::from(nth) / 2.0)).collect();
    let host = Spread::of(&times).unwrap();
    let result = Measured::Right { device: Some(host), host, joules: None };
    Row { suite: "Suite".into(), name: name.into(), platform: platform.into(), n: 8, bytes: 1000, flops: 10, result }
}

/// With energy.
fn counted(mut row: Row, used: f64) -> Row {
    if let Measured::Right { joules, .. } = &mut row.result {
        *joules = Some(used);
    }
    row
}

fn broken(name: &str, platform: &str) -> Row {
    Row { result: Measured::Failed { why: "wrong <result> & why".into() }, ..row(name, platform, 1.0, 0.0) }
}

fn sample() -> Report {
    Report {
        version: "1".into(),
        scale: "quick".into(),
        complete: true,
        running: Some(Running { problem: "Suite A".into(), platform: "x".into(), attempts: 1 }),
        platforms: vec![platform(NASTY, "card"), platform("b", "card")],
        rows: vec![
            counted(row("A", NASTY, 2e-6, 0.1), 0.0505),
            row("A", "b", 4e-6, 0.1),
            row("B", NASTY, 1e-3, 0.1),
            broken("B", "b"),
        ],
    }
}

fn folder() -> PathBuf {
    let path = std::env::temp_dir().join(format!("crosslane-report-{}", std::process::id()));
    std::fs::create_dir_all(&path).unwrap();
    path
}

#[test]
fn json_comes_back_and_other_files_are_errors() {
    let file = folder().join("sample.json");
    sample().write(&file).unwrap();
    assert_eq!(Report::read(&file).unwrap(), sample());
    Report::default().write(&file).unwrap();
    assert_eq!(Report::read(&file).unwrap(), Report::default());
    let mut lost = sample();
    lost.platforms.pop();
    lost.write(&file).unwrap();
    assert!(Report::read(&file).unwrap_err().to_string().contains("a row's platform is not listed: \"b\""));
    for text in ["", "[]", "{\"rows\": 1}", "\u{0}"] {
        model::write(&file, text).unwrap();
        assert!(Report::read(&file).unwrap_err().to_string().contains("sample.json: "), "{text:?}");
    }
    assert!(Report::read(&folder()).unwrap_err().to_string().contains("wanted a file"));
    assert!(Report::read(&folder().join("none")).is_err());
}

/// The names of elements as they open and close; elements without an end are left out.
fn unbalanced(text: &str) -> Option<String> {
    let mut open: Vec<&str> = vec![];
    for part in text.split('<').skip(1) {
        let (tag, rest) = part.split_once('>')?;
        let name = tag.trim_start_matches('/').split([' ', '/']).next().unwrap_or_default();
        match tag {
            tag if tag.starts_with('/') => {
                if open.pop() != Some(name) {
                    return Some(format!("</{name}> closes nothing"));
                }
            }
            tag if tag.ends_with('/') || tag.starts_with('!') || name == "meta" => {}
            _ => open.push(name),
        }
        if rest.contains('>') && name != "script" && name != "style" {
            return Some(format!("a bare > after <{tag}>"));
        }
    }
    (!open.is_empty()).then(|| format!("{open:?} are open"))
}

#[test]
fn pages_are_whole_escaped_and_want_no_network() {
    let unfinished = Report { complete: false, ..Report::default() };
    for report in [sample(), unfinished] {
        let page = page::page(&report);
        // Text of scripts and styles is no markup.
        let (head, script) = page.rsplit_once("<script>").unwrap();
        let markup = format!(
            "{head}<script>{}",
            script.split_once("</script>").map(|(_, end)| format!("</script>{end}")).unwrap()
        );
        assert_eq!(unbalanced(&markup), None);
        for foreign in ["http:", "https:", "src=", "href=", "url(", "@import", "<b>&"] {
            assert!(!page.contains(foreign), "{foreign}");
        }
        assert!(!markup.contains("NaN") && !markup.contains("inf\""), "numbers are finite");
        let svg = chart::cascade::cascade(&report, Against::Roofline).file("title & more");
        assert_eq!(unbalanced(&svg), None);
        assert!(svg.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\"") && !svg.contains("NaN"));
    }
    let shapes = ["<line ", "<polyline ", "<rect ", "<circle "];
    let svg = chart::cascade::cascade(&sample(), Against::Roofline).file("title");
    let shown = svg.lines().filter(|line| shapes.iter().any(|shape| line.starts_with(shape)));
    for line in shown {
        assert!(line.contains(" fill=\"#") || line.contains(" stroke=\"#"), "no colour without CSS: {line}");
    }
    assert!(!svg.contains("var("), "plain viewers know no variables");
    let page = page::page(&sample());
    for part in [
        "&lt;b&gt;&amp;&quot;&#39;",
        "wrong &lt;result&gt; &amp; why",
        "prefers-color-scheme: dark",
        "<svg ",
        "failed",
        "50.50 mJ",
    ] {
        assert!(page.contains(part), "{part}");
    }
    assert!(page.contains("3 of 4 rows have a right result"));
    assert!(unbalanced("<p><b></p>").is_some() && unbalanced("<p>").is_some());
}

/// DejaVu's letters, the widest of the usual sans-serif faces, take 7.4 of their 12 units in the mean.
#[test]
fn texts_of_the_cascade_end_within_it() {
    let long = "NVIDIA GeForce RTX 4090 Laptop GPU vulkan";
    let report = Report { platforms: vec![platform(long, "card")], rows: vec![row("A", long, 1.0, 0.0)], ..sample() };
    let svg = chart::cascade::cascade(&report, Against::Roofline).file("title");
    let number = |line: &str, name: &str| -> f64 {
        line.split_once(name).and_then(|(_, rest)| rest.split_once('"')?.0.parse().ok()).expect(line)
    };
    let width = number(svg.lines().next().unwrap(), " width=\"");
    for line in svg.lines().filter(|line| line.contains("\"start\"")) {
        let text = line.split_once('>').unwrap().1.strip_suffix("</text>").unwrap();
        let end = number(line, " x=\"") + 7.4 * text.chars().count() as f64;
        assert!(end <= width, "{text} ends at {end}");
    }
}

#[test]
fn csv_has_the_columns_of_p3_analysis() {
    let text = csv::csv(&sample());
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], "problem,application,platform,fom,arch eff,app eff");
    assert_eq!(lines[1], "Suite A,crosslane,\"<b>&\"\"'</td>, vulkan\",2e-6,0.500000,1.000000");
    assert_eq!(lines[2], "Suite A,crosslane,b,4e-6,0.250000,0.500000");
    assert_eq!(lines[4], "Suite B,crosslane,b,,0.000000,0.000000");
    assert_eq!(lines.len(), 5);
}

fn merged(reports: &[(&str, &Report)]) -> Report {
    let named = reports.iter().map(|&(file, report)| (file.to_string(), report.clone()));
    Report::merged(&named.collect::<Vec<_>>())
}

fn median(report: &Report, platform: &str) -> f64 {
    report.row("Suite A", platform).unwrap().spread().unwrap().median
}

#[test]
fn merging_joins_the_parts_of_one_machine() {
    let other = Report {
        platforms: vec![platform("c", "card"), platform("b", "card")],
        rows: vec![row("C", "b", 8e-6, 0.1), row("A", "c", 1e-6, 0.1)],
        ..sample()
    };
    let joined = merged(&[("one", &sample()), ("more", &other)]);
    assert_eq!((joined.platforms.len(), joined.rows.len()), (3, 6));
    assert_eq!(efficiency::of(&joined, "Suite A", NASTY, Against::Best), 0.5, "c is faster, on the same hardware");
    let full = Report { scale: "full".into(), ..other };
    assert_eq!(merged(&[("one", &sample()), ("more", &full)]).scale, "several");
}

#[test]
fn platforms_of_one_name_on_two_machines_stay_apart() {
    let machine = |hardware: &str, seconds: f64| Report {
        platforms: vec![platform("b", hardware)],
        rows: vec![row("A", "b", seconds, 0.0)],
        ..sample()
    };
    let far = merged(&[("one", &sample()), ("far", &machine("other", 1.0))]);
    assert_eq!((far.platforms.len(), median(&far, "b (other)"), median(&far, "b")), (3, 1.0, 4e-6));
    // The same processor in all: the file's name tells them apart, and none is the best of another's hardware.
    let [first, second, third] = [1.0, 2.0, 4.0].map(|seconds| machine("card", seconds));
    let alike = merged(&[("first", &first), ("second", &second), ("third", &third)]);
    assert_eq!(["b", "b (second)", "b (third)"].map(|name| median(&alike, name)), [1.0, 2.0, 4.0]);
    assert_eq!(efficiency::of(&alike, "Suite A", "b (third)", Against::Best), 1.0);
    // As is another's after it, and another's of that other hardware.
    let [other, again] = [8.0, 16.0].map(|seconds| machine("other", seconds));
    let five = merged(&[("first", &first), ("second", &second), ("other", &other), ("again", &again)]);
    let names: Vec<&str> = five.platforms.iter().map(|platform| platform.name.as_str()).collect();
    assert_eq!(names, ["b", "b (second)", "b (other)", "b (again)"]);
}

#[test]
fn comparison_takes_noise_into_account() {
    let judged = |old: Row, new: Row| {
        let report = |row| Report { rows: vec![row], ..sample() };
        let changed = changes::changes(&report(old), &report(new));
        assert_eq!(changed.len(), 1);
        changed[0].change
    };
    let at = |median, spread| row("A", "b", median, spread);
    assert_eq!(judged(at(1.0, 0.02), at(1.2, 0.02)), Change::Slower);
    assert_eq!(judged(at(1.2, 0.02), at(1.0, 0.02)), Change::Faster);
    assert_eq!(judged(at(1.0, 0.5), at(1.2, 0.5)), Change::Same, "the spreads meet");
    assert_eq!(judged(at(1.0, 0.0), at(1.04, 0.0)), Change::Same, "less than 5 %");
    assert_eq!(judged(at(1.0, 0.0), broken("A", "b")), Change::Broken);
    assert_eq!(judged(broken("A", "b"), at(1.0, 0.0)), Change::Mended);
    assert_eq!(judged(at(1.0, 0.0), Row { n: 9, ..at(2.0, 0.0) }), Change::Incomparable);
    assert_eq!(comparison(&sample(), &sample()).1, 0);
    let worse = Report { rows: vec![broken("A", NASTY)], ..sample() };
    let (text, count) = comparison(&sample(), &worse);
    assert_eq!(count, 1);
    assert!(text.contains("broken") && text.ends_with("1 broken, 0 mended, 3 not comparable"), "{text}");
}

#[test]
fn an_interrupted_report_goes_on() {
    let old = Report { complete: false, version: env!("CARGO_PKG_VERSION").into(), ..sample() };
    let go_on = |old: &Report, scale| run::resumed(Some(old.clone()), scale);
    assert_eq!(go_on(&old, Scale::Quick), old);
    assert!(go_on(&old, Scale::Full).rows.is_empty(), "of other sizes");
    assert!(go_on(&Report { complete: true, ..old.clone() }, Scale::Quick).rows.is_empty());
    assert!(go_on(&Report { version: "0".into(), ..old.clone() }, Scale::Quick).rows.is_empty());
    let mut report = Report { running: None, ..old };
    assert!(!run::begin(&mut report, "Suite A", "b"), "it was measured");
    // A row that ends the program is tried twice.
    for attempts in 1..=2 {
        assert!(run::begin(&mut report, "Suite C", "b"));
        assert_eq!(report.running.as_ref().unwrap().attempts, attempts);
    }
    assert!(!run::begin(&mut report, "Suite C", "b"));
    let why = report.row("Suite C", "b").unwrap().failure().unwrap();
    assert_eq!(why, "the program ended 2 times while this ran");
    assert!(run::begin(&mut report, "Suite D", "b") && report.running.as_ref().unwrap().attempts == 1);
}
