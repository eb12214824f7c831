//! `crosslane report`, from measuring to comparing.

use super::{Folder, crosslane, fails, has, prints, support::unopened};
use serde_json::Value;

fn read(file: &str) -> Value {
    serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap()
}

fn write(file: &str, report: &Value) {
    std::fs::write(file, report.to_string()).unwrap();
}

#[test]
#[cfg(feature = "cpu")]
fn report_measures_goes_on_merges_and_compares() {
    let folder = Folder::new("report");
    let [json, html, csv, svg] = ["r.json", "r.html", "r.csv", "r.svg"].map(|name| folder.path(name));
    let what = ["--scale", "tiny", "--devices", "cpu interpreted", "--filter", "BabelStream"];
    let base = [&["report"][..], &what, &["--json", &json, "--csv", &csv, "--svg", &svg]].concat();
    has(&prints(&[&base[..], &["--fresh"]].concat()), &["BabelStream", "cpu interpreted", "5 rows, 0 failed"]);
    let mut report = read(&json);
    assert_eq!((&report["complete"], report["rows"].as_array().unwrap().len()), (&Value::Bool(true), 5));
    let texts = [&html, &csv, &svg].map(|file| std::fs::read_to_string(file).unwrap());
    has(&texts[0], &["<!doctype html>", "BabelStream Triad"]);
    has(&texts[1], &["problem,application,platform,fom,", "BabelStream Dot,crosslane,cpu interpreted,"]);
    has(&texts[2], &["<svg xmlns"]);

    // Interrupted after three rows: these stay as they are, and two are measured.
    let old = folder.path("old.json");
    report["rows"].as_array_mut().unwrap().iter_mut().for_each(|row| row["result"]["right"]["device"] = Value::Null);
    report["rows"][0]["result"]["right"]["host"]["median"] = 123.0.into();
    write(&old, &report);
    report["rows"].as_array_mut().unwrap().truncate(3);
    report["complete"] = false.into();
    write(&json, &report);
    prints(&base);
    let resumed = read(&json);
    let [rows, kept] = [&resumed, &report].map(|report| report["rows"].as_array().unwrap());
    assert_eq!((rows.len(), &rows[..3]), (5, &kept[..]));

    // A row of the old report a thousand times as fast as the new one is a regression.
    let (fast, slow) = (folder.path("fast.json"), folder.path("slow.json"));
    report["rows"].as_array_mut().unwrap().truncate(1);
    let spread = |seconds: f64| {
        serde_json::json!({ "runs": 3, "min": seconds, "lower_quartile": seconds,
        "median": seconds, "upper_quartile": seconds, "p95": seconds })
    };
    for (file, seconds) in [(&fast, 1e-6), (&slow, 1e-3)] {
        report["rows"][0]["result"]["right"]["host"] = spread(seconds);
        write(file, &report);
    }
    has(&prints(&["report", "--compare", &slow, &fast]), &["0 slower, 1 faster"]);
    let output = crosslane(&["report", "--compare", &fast, &slow]);
    assert_eq!(output.status.code(), Some(1));
    has(&String::from_utf8_lossy(&output.stdout), &["1000.00", "slower", "1 slower, 0 faster"]);

    let merged = folder.path("merged.json");
    has(
        &prints(&["report", "--merge", &old, &fast, "--json", &merged]),
        &["6 rows, 0 failed", "cpu interpreted (fast)"],
    );
    assert_eq!(read(&merged)["rows"][5]["result"]["right"]["host"]["median"], 1e-6);
    fails(&["report", "--merge", &old, &old, "--json", &merged], &["old.json is given twice"]);
}

#[test]
fn report_says_what_it_cannot_do() {
    let folder = Folder::new("report-errors");
    let json = folder.path("r.json");
    let fail = |more: &[&str], parts: &[&str]| fails(&[&["report", "--json", &json][..], more].concat(), parts);
    fail(&["--filter", "nothing"], &["--filter: no problem's name contains \"nothing\""]);
    fail(&["--devices", "nothing"], &["--devices: no platform's name contains one of [\"nothing\"]"]);
    let none = folder.path("none.json");
    fail(&["--merge", &none], &[&format!("none.json: {}", unopened(&none))]);
    fail(&["--merge", &folder.file("text.json", "hello")], &["text.json: expected value"]);
    fail(&["--compare", &folder.file("a.json", "{}"), &json], &["a.json: missing field"]);
    let nowhere = folder.path("none/r.json");
    fails(&["report", "--scale", "tiny", "--filter", "Copy", "--json", &nowhere], &["none/r.json: "]);
}
