//! Text, JSON and the page say what the report says.

use super::{lost, report};
use crate::report::model::Report;
use crate::report::{html, json, text};

#[test]
fn text_is_aligned_with_the_goal_beside_the_measured() {
    let mut report = report();
    report.subjects[1].errors = vec![lost("no answer", 3)];
    let expected = "\
connect · 2026-11-22T00:40:00Z · A processor, 2 cores, 24 GiB, Linux 6.18
$ burgee bench connect --rate 1100

                           burgee    ceiling  ratio            goal
connections per second   25,310/s   26,012/s  0.97×  ≥ 0.95  met
memory per connection   121 bytes  121 bytes
first delivery              13 ms      13 ms
last delivery              160 ms     160 ms

Latency
               count      mean       p50       p95       p99     p99.9   max
sync  burgee   1,000  0.500 ms  0.500 ms  0.950 ms  0.990 ms  0.999 ms  1 ms
      ceiling  1,000  0.500 ms  0.500 ms  0.950 ms  0.990 ms  0.999 ms  1 ms

What the server spent
                time     CPU mean     CPU peak  resident       own  kernel sockets
ramp  burgee   180 s  0.410 cores  0.825 cores    32 MiB  19.1 MiB     4,096 bytes
      ceiling  180 s  0.410 cores  0.825 cores    32 MiB  19.1 MiB     4,096 bytes

Errors
                    count
no answer  ceiling      3

Response time
rate    P99, ms
1000/s      0.2

Notes
- the CPU's clock could not be fixed
";
    assert_eq!(text::text(&report), expected);
}

#[test]
fn a_goal_that_is_missed_is_called_so() {
    let mut report = report();
    report.ratios[0].value = 0.7;
    let text = text::text(&report);
    assert!(text.contains("0.70×  ≥ 0.95  missed"), "{text}");
    let page = html::page(&report);
    assert!(page.contains("≥ 0.95 <b class=\"bad\">missed</b>"));
    assert!(page.contains("0 of 1 goals met"));
}

#[test]
fn several_runs_show_their_range() {
    let mut report = report();
    report.subjects[0].runs = 3;
    report.subjects[0].figures[0].runs = vec![25_000.0, 25_310.0, 25_900.0];
    assert!(text::text(&report).contains("burgee (median of 3)"));
    assert!(html::page(&report).contains("<small>25,000/s – 25,900/s</small>"));
}

#[test]
fn json_is_read_as_it_was_written() {
    let text = json::text(&report()).unwrap();
    assert_eq!(json::parse(&text).unwrap(), report());
    for other in ["[]", "{}", "no JSON"] {
        assert!(json::parse(other).is_err(), "{other}");
    }
}

#[test]
fn a_page_has_a_curve_for_each_distribution_and_series() {
    let page = html::page(&report());
    for title in ["sync, ms", "cpu, cores", "opened, 1/s"] {
        assert!(page.contains(&format!("aria-label=\"{title}\"")), "{title}");
    }
    assert_eq!(page.matches("<svg").count(), 3);
    assert_eq!(
        page.matches("class=\"line c").count(),
        6,
        "two subjects each"
    );
    assert!(!page.contains("NaN") && !page.contains("inf"));
}

#[test]
fn a_page_loads_nothing_and_runs_nothing() {
    let page = html::page(&report());
    for word in ["<script", "http://", "https://", "url(", "@import", "src="] {
        let found = page.replace("default-src 'none'", "");
        assert!(!found.contains(word), "{word}");
    }
}

#[test]
fn whatever_a_report_holds_is_text_on_the_page() {
    let bad = "<img src=x onerror='alert(1)'>\"&\0";
    let escaped = "&lt;img src=x onerror=&#39;alert(1)&#39;&gt;&quot;&amp;\u{fffd}";
    let mut report = report();
    report.scenario = bad.to_owned();
    report.command = bad.to_owned();
    report.at = bad.to_owned();
    report.machine.cpu = bad.to_owned();
    report.notes = vec![bad.to_owned()];
    report.ratios[0].goal = Some(bad.to_owned());
    report.tables[0].title = bad.to_owned();
    report.tables[0].columns[0] = bad.to_owned();
    report.tables[0].rows[0][0] = bad.to_owned();
    for subject in &mut report.subjects {
        subject.name = bad.to_owned();
        subject.errors = vec![lost(bad, 1)];
        subject.figures[0].name = bad.to_owned();
        subject.figures[0].unit = bad.to_owned();
        subject.latencies[0].name = bad.to_owned();
        subject.phases[0].name = bad.to_owned();
        subject.series[0].name = bad.to_owned();
        subject.series[0].unit = bad.to_owned();
    }
    let page = html::page(&report);
    assert!(page.matches(escaped).count() > 20);
    assert!(!page.contains("<img") && !page.contains('\0'));
}

#[test]
fn an_empty_report_is_still_a_page_and_a_text() {
    let page = html::page(&Report::default());
    assert!(page.ends_with("</html>\n") && !page.contains("<svg"));
    assert_eq!(text::text(&Report::default()).trim(), "");
}
