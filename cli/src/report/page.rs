//! The report as one HTML page: no network, light and dark, tables that sort.

use super::super::table::{energy, significant, time};
use super::chart::{STYLE, cascade, escaped, portability, roofline, times};
use super::efficiency::portability as harmonic;
use super::efficiency::{Against, efficiency, median_portability, of, of_problem, raw};
use super::model::{Measured, Report, Row};

const LOOK: &str = "
:root { color-scheme: light dark; --text: #1f2328; --back: #ffffff; --rule: #d1d9e0; --soft: #f6f8fa; --good: #2da44e; --bad: #cf222e }
@media (prefers-color-scheme: dark) {
:root { --text: #f0f6fc; --back: #0d1117; --rule: #3d444d; --soft: #161b22; --good: #238636; --bad: #8e1519 }
}
body { margin: 0 auto; max-width: 1320px; padding: 16px; font: 15px/1.5 sans-serif; color: var(--text); background: var(--back) }
h1 { font-size: 26px; margin: 8px 0 } h2 { font-size: 19px; margin: 32px 0 8px; border-bottom: 1px solid var(--rule) }
.wide { overflow-x: auto; margin: 8px 0 } svg { height: auto; max-width: none } .side { display: flex; flex-wrap: wrap; gap: 12px }
.side svg { max-width: 100% }
table { border-collapse: collapse; font-size: 13px; font-variant-numeric: tabular-nums }
th, td { border: 1px solid var(--rule); padding: 3px 8px; text-align: right; white-space: nowrap }
td:first-child, th:first-child, .left, .about th { text-align: left }
th { background: var(--soft); cursor: pointer; position: sticky; top: 0 } th:hover { text-decoration: underline }
.heat td:first-child, .heat th:first-child { position: sticky; left: 0; background: var(--soft); z-index: 1 }
.heat td[style] { background: color-mix(in srgb, var(--good) calc(var(--e) * 70%), transparent) }
.failed { background: color-mix(in srgb, var(--bad) 45%, transparent) }
.why { white-space: normal; min-width: 240px; text-align: left }
@media (max-width: 600px) {
.about td, .heat th, .heat td:first-child { white-space: normal; overflow-wrap: anywhere; min-width: 70px; max-width: 130px }
}
details { margin: 8px 0 } summary { cursor: pointer }
";

/// Sorts a table by the column that is clicked: numbers by value, `data-n` where a cell has one; again for the other way.
const SORT: &str = "
for (const head of document.querySelectorAll('th')) head.addEventListener('click', () => {
  const table = head.closest('table'), body = table.tBodies[0], at = head.cellIndex;
  const up = head.dataset.up !== '1';
  for (const other of table.querySelectorAll('th')) delete other.dataset.up;
  head.dataset.up = up ? '1' : '0';
  const key = row => { const cell = row.cells[at]; return cell.dataset.n ?? cell.textContent; };
  const order = (a, b) => {
    const [x, y] = [key(a), key(b)], [p, q] = [parseFloat(x), parseFloat(y)];
    return isNaN(p) || isNaN(q) ? x.localeCompare(y) : p - q;
  };
  body.append(...[...body.rows].sort((a, b) => up ? order(a, b) : order(b, a)));
});
";

/// The whole page.
pub fn page(report: &Report) -> String {
    let each =
        |chart: &dyn Fn(&super::model::Platform) -> String| report.platforms.iter().map(chart).collect::<String>();
    let cascades =
        Against::ALL.map(|against| figure(&cascade::cascade(report, against).inline("cascade plot"))).concat();
    let roofs = each(&|platform| roofline::roofline(report, platform).inline("roofline"));
    let spreads = each(&|platform| {
        let chart = figure(&times::times(report, platform).inline("times"));
        format!("<details><summary>{}</summary>{chart}</details>\n", escaped(&platform.name))
    });
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>crosslane: performance portability</title>\n<style>{LOOK}{STYLE}</style>\n</head>\n<body>\n\
         <h1>crosslane: performance portability</h1>\n{}\
         <h2>Platforms</h2>\n{}\
         <h2>Cascade</h2>\n<p>A suite&#39;s efficiency on a platform is the harmonic mean over its problems; 0 where one fails.</p>\n\
         <p>The best engine is the fastest of those on the same hardware.</p>\n{cascades}\
         <h2>Efficiency by problem and platform</h2>\n<p>Of the measured roofline; 1 is the least time that it allows. A click on \
         a column sorts.</p>\n{}\
         <h2>Performance portability by problem</h2>\n{}\
         <h2>Rooflines</h2>\n<p>A dot is a problem, in its suite&#39;s colour of the cascade.</p>\n<div class=\"side\">\n{roofs}</div>\n\
         <h2>Times by the host&#39;s clock</h2>\n{spreads}\
         <h2>All rows</h2>\n{}{}<script>{SORT}</script>\n</body>\n</html>\n",
        introduction(report),
        platforms(report),
        heat(report),
        figure(&portability::bars(report).inline("performance portability by problem")),
        rows(report),
        failures(report),
    )
}

fn figure(svg: &str) -> String {
    format!("<div class=\"wide\">{svg}</div>\n")
}

fn introduction(report: &Report) -> String {
    let right = report.rows.iter().filter(|row| row.failure().is_none()).count();
    let unfinished = if report.complete { "" } else { " The run was not finished." };
    format!(
        "<p>crosslane {}, sizes: {}. {} problems on {} platforms; {right} of {} rows have a right result.{unfinished} Every result \
         was compared with a reference on the host before it was timed. A row that failed has an efficiency of 0. Half of the problems have a PP of {:.3} at least of the roofline, and {:.3} of \
         the best engine.</p>\n",
        escaped(&report.version),
        escaped(&report.scale),
        report.problems().len(),
        report.platforms.len(),
        report.rows.len(),
        median_portability(report, Against::Roofline),
        median_portability(report, Against::Best),
    )
}

/// A table from its header and its rows of cells, which are HTML already.
fn table(class: &str, header: &[String], rows: &[Vec<String>]) -> String {
    let head: String = header.iter().map(|name| format!("<th>{}</th>", escaped(name))).collect();
    let body: String = rows.iter().map(|cells| format!("<tr>{}</tr>\n", cells.concat())).collect();
    format!(
        "<div class=\"wide\"><table class=\"{class}\"><thead><tr>{head}</tr></thead>\n<tbody>\n{body}</tbody></table></div>\n"
    )
}

fn text(text: &str) -> String {
    format!("<td class=\"left\">{}</td>", escaped(text))
}

/// A number as people read it, and as the table sorts it.
fn number(value: f64, shown: &str) -> String {
    format!("<td data-n=\"{value:e}\">{}</td>", escaped(shown))
}

fn rate(value: f64) -> String {
    number(value, &if value > 0.0 { significant(value) } else { "-".into() })
}

fn platforms(report: &Report) -> String {
    let header =
        ["platform", "hardware", "driver", "GB/s, copy", "GFLOP/s, f32", "efficiency, all problems"].map(String::from);
    let problems = report.problems();
    let line = |platform: &super::model::Platform| {
        let mean = harmonic(problems.iter().map(|problem| of(report, problem, &platform.name, Against::Roofline)));
        vec![
            text(&platform.name),
            text(&platform.hardware),
            text(&platform.driver),
            rate(platform.bytes_per_second * 1e-9),
            rate(platform.flops_per_second * 1e-9),
            number(mean, &format!("{mean:.3}")),
        ]
    };
    table("about", &header, &report.platforms.iter().map(line).collect::<Vec<_>>())
}

/// The heat map.
fn heat(report: &Report) -> String {
    let names = report.platforms.iter().map(|platform| platform.name.clone());
    let header: Vec<String> = ["problem".to_string()].into_iter().chain(names).chain(["PP".to_string()]).collect();
    let cell = |problem: &str, platform: &str| match report.row(problem, platform) {
        None => "<td data-n=\"-1\">-</td>".to_string(),
        Some(row) => match row.failure() {
            Some(why) => format!("<td class=\"failed\" data-n=\"0\" title=\"{}\">failed</td>", escaped(why)),
            None => {
                let share = efficiency(report, row, Against::Roofline);
                format!("<td style=\"--e:{share:.3}\">{:.2}</td>", raw(report, row, Against::Roofline))
            }
        },
    };
    let line = |problem: &String| {
        let cells = report.platforms.iter().map(|platform| cell(problem, &platform.name));
        let pp = of_problem(report, problem, Against::Roofline);
        [text(problem)].into_iter().chain(cells).chain([number(pp, &format!("{pp:.2}"))]).collect()
    };
    table("heat", &header, &report.problems().iter().map(line).collect::<Vec<_>>())
}

fn rows(report: &Report) -> String {
    let header = [
        "problem",
        "platform",
        "n",
        "clock",
        "min",
        "median",
        "p95",
        "host, median",
        "host, p95",
        "energy",
        "GB/s",
        "GFLOP/s",
        "of roofline",
        "of best",
    ];
    let line = |row: &Row| -> Option<Vec<String>> {
        let Measured::Right { device, host, joules } = &row.result else { return None };
        let spread = device.as_ref().unwrap_or(host);
        let seconds = |value: f64| number(value, &time(value));
        let share = |against| {
            let value = raw(report, row, against);
            number(value, &format!("{value:.3}"))
        };
        Some(vec![
            text(&row.problem()),
            text(&row.platform),
            number(row.n as f64, &row.n.to_string()),
            text(if device.is_some() { "device" } else { "host" }),
            seconds(spread.min),
            seconds(spread.median),
            seconds(spread.p95),
            seconds(host.median),
            seconds(host.p95),
            joules.map_or_else(|| number(-1.0, "-"), |joules| number(joules, &energy(joules))),
            rate(row.bytes as f64 / spread.median * 1e-9),
            rate(row.flops as f64 / spread.median * 1e-9),
            share(Against::Roofline),
            share(Against::Best),
        ])
    };
    let lines: Vec<Vec<String>> = report.rows.iter().filter_map(line).collect();
    format!(
        "<details open><summary>{} rows</summary>{}</details>\n",
        lines.len(),
        table("", &header.map(String::from), &lines)
    )
}

fn failures(report: &Report) -> String {
    let line = |row: &Row| {
        let why = format!("<td class=\"why\">{}</td>", escaped(row.failure()?));
        Some(vec![text(&row.problem()), text(&row.platform), why])
    };
    let lines: Vec<Vec<String>> = report.rows.iter().filter_map(line).collect();
    match lines.is_empty() {
        true => String::new(),
        false => format!("<h2>Failed</h2>\n{}", table("", &["problem", "platform", "why"].map(String::from), &lines)),
    }
}
