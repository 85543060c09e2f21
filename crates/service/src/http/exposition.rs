//! Counters in the text format of Prometheus.

use std::fmt::Write;

use asanoha_http::Load;

use crate::MetricsView;

/// The lines of a metric: its name, its type, its help and its value.
fn metric(text: &mut String, name: &str, kind: &str, help: &str, value: f64) {
    let _ =
        writeln!(text, "# HELP asanoha_{name} {help}\n# TYPE asanoha_{name} {kind}\nasanoha_{name} {value}");
}

/// All metrics. None has a label, so that none names a client, a plan or a file.
pub(super) fn exposition(metrics: &MetricsView, load: &Load) -> String {
    let mut text = String::new();
    let counters = [
        ("jobs_submitted_total", "Jobs that were accepted.", metrics.jobs_submitted as f64),
        (
            "jobs_replayed_total",
            "Submissions of jobs that were accepted before.",
            metrics.jobs_replayed as f64,
        ),
        ("jobs_refused_total", "Submissions that were not accepted.", metrics.jobs_refused as f64),
        ("jobs_done_total", "Jobs that ended with results.", metrics.jobs_done as f64),
        ("jobs_failed_total", "Jobs that ended without results.", metrics.jobs_failed as f64),
        ("jobs_cancelled_total", "Jobs that their clients cancelled.", metrics.jobs_cancelled as f64),
        ("jobs_requeued_total", "Running jobs that wait again.", metrics.jobs_requeued as f64),
        ("expired_total", "Jobs, uploads, keys and inputs that expired.", metrics.expired as f64),
        ("uploaded_bytes_total", "Bytes of uploads.", metrics.uploaded_bytes as f64),
        ("result_bytes_total", "Bytes of results.", metrics.result_bytes as f64),
        ("evaluation_seconds_total", "Seconds of evaluations with results.", metrics.evaluation_seconds),
        ("store_errors_total", "Failures of the disk or the journal.", metrics.store_errors as f64),
    ];
    let gauges = [
        ("jobs_waiting", "Jobs that wait.", metrics.jobs_waiting as f64),
        ("jobs_running", "Jobs that run.", metrics.jobs_running as f64),
        ("jobs_held", "Jobs in memory.", metrics.jobs_held as f64),
        ("stored_bytes", "Bytes that are stored.", metrics.stored_bytes as f64),
        ("clients", "Clients that have something stored.", metrics.clients as f64),
        ("uploads", "Uploads that arrive.", load.uploads as f64),
        ("upload_bytes", "Bytes of uploads that arrive.", load.upload_bytes as f64),
    ];
    for (name, help, value) in counters {
        metric(&mut text, name, "counter", help, value);
    }
    for (name, help, value) in gauges {
        metric(&mut text, name, "gauge", help, value);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_metric_has_a_type_a_help_and_a_value() {
        let metrics = MetricsView { jobs_done: 3, evaluation_seconds: 0.25, ..MetricsView::default() };
        let load = Load { bodies: 0, body_bytes: 0, uploads: 2, upload_bytes: 7, waiting: 0, free_turns: 1 };
        let text = exposition(&metrics, &load);
        assert!(text.contains("\nasanoha_jobs_done_total 3\n"), "{text}");
        assert!(text.contains("\nasanoha_evaluation_seconds_total 0.25\n"), "{text}");
        assert!(text.ends_with("\nasanoha_upload_bytes 7\n"), "{text}");
        let lines: Vec<&str> = text.lines().collect();
        for lines in lines.chunks(3) {
            let name = lines[2].split(' ').next().unwrap();
            assert!(lines[0].starts_with(&format!("# HELP {name} ")), "{lines:?}");
            let kind = if name.ends_with("_total") { "counter" } else { "gauge" };
            assert_eq!(lines[1], format!("# TYPE {name} {kind}"));
        }
    }
}
