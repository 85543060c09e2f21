//! The figures of the bench of large plaintext moduli, as SVG.

use std::path::{Path, PathBuf};

use plotters::prelude::*;

use super::ChainRow;
use crate::chain::SchemeName;

const SIZE: (u32, u32) = (720, 480);

/// A figure over the depth, and the value of a row that it shows.
type Figure<'a> = (String, &'a str, u32, &'a dyn Fn(&ChainRow) -> Option<f64>);

/// [`super::LargeModuliReport::plot`].
pub(super) fn plot(rows: &[ChainRow], folder: &Path) -> Result<Vec<PathBuf>, Box<dyn std::error::Error>> {
    std::fs::create_dir_all(folder)?;
    let mut sizes: Vec<u32> = rows.iter().map(|row| row.log2_t).collect();
    sizes.sort_unstable();
    sizes.dedup();
    let degree = |row: &ChainRow| row.ring_degree.map(|n| n as f64);
    let modulus = |row: &ChainRow| row.log2_q;
    let time = |row: &ChainRow| row.ms_per_multiplication;
    let mut files = Vec::new();
    for log2_t in sizes {
        let figures: [Figure<'_>; 3] = [
            (format!("ring-degree-log2-t-{log2_t}.svg"), "ring degree N", log2_t, &degree),
            (format!("modulus-log2-t-{log2_t}.svg"), "log2 q", log2_t, &modulus),
            (format!("time-log2-t-{log2_t}.svg"), "milliseconds per multiplication", log2_t, &time),
        ];
        for figure in figures {
            let file = folder.join(&figure.0);
            draw(rows, &file, &figure)?;
            files.push(file);
        }
    }
    Ok(files)
}

fn draw(rows: &[ChainRow], file: &Path, figure: &Figure<'_>) -> Result<(), Box<dyn std::error::Error>> {
    let (_, title, log2_t, value) = figure;
    let points = |scheme: SchemeName| -> Vec<(f64, f64)> {
        let rows = rows.iter().filter(|row| row.scheme == scheme && row.log2_t == *log2_t);
        rows.filter_map(|row| Some((row.depth as f64, value(row)?))).collect()
    };
    let lines = SchemeName::EXACT.map(|scheme| (scheme, points(scheme)));
    let all = || lines.iter().flat_map(|(_, points)| points);
    let range = |of: fn(&(f64, f64)) -> f64| {
        let (low, high) =
            all().map(of).fold((f64::INFINITY, 0.0), |(low, high): (f64, f64), x| (low.min(x), high.max(x)));
        if low.is_finite() { low * 0.8..high * 1.25 } else { 0.8..1.25 }
    };
    let area = SVGBackend::new(file, SIZE).into_drawing_area();
    area.fill(&WHITE)?;
    let mut chart = ChartBuilder::on(&area)
        .caption(format!("{title}, log2 t = {log2_t}"), ("sans-serif", 20))
        .margin(12)
        .x_label_area_size(36)
        .y_label_area_size(72)
        .build_cartesian_2d(range(|point| point.0).log_scale(), range(|point| point.1).log_scale())?;
    chart.configure_mesh().x_desc("depth").y_desc(*title).draw()?;
    for ((scheme, points), colour) in lines.iter().zip([&BLUE, &RED]) {
        let name = scheme.name().to_uppercase();
        chart
            .draw_series(LineSeries::new(points.iter().copied(), colour).point_size(3))?
            .label(name)
            .legend(|(x, y)| PathElement::new([(x, y), (x + 20, y)], *colour));
    }
    chart.configure_series_labels().background_style(WHITE).border_style(BLACK).draw()?;
    area.present()?;
    Ok(())
}
