//! A distribution between its two forms: the histogram that is counted in, and what is reported.

use anyhow::Context;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hdrhistogram::Histogram;
use hdrhistogram::serialization::{Deserializer, Serializer, V2Serializer};

use super::model::Latency;

/// The longest time that a histogram tells apart: ten minutes, in microseconds. Longer ones count
/// as this.
pub const LONGEST_US: u64 = 600_000_000;

/// An empty histogram of microseconds, three digits exact.
pub fn histogram() -> anyhow::Result<Histogram<u64>> {
    Ok(Histogram::new_with_bounds(1, LONGEST_US, 3)?)
}

impl Latency {
    /// The report of a histogram of microseconds.
    pub fn of(name: &str, histogram: &Histogram<u64>) -> anyhow::Result<Self> {
        let mut bytes = Vec::new();
        V2Serializer::new()
            .serialize(histogram, &mut bytes)
            .context("a histogram cannot be written")?;
        let quantile = |q: f64| ms(histogram.value_at_quantile(q) as f64);
        Ok(Self {
            name: name.to_owned(),
            histogram: STANDARD.encode(bytes),
            count: histogram.len(),
            mean: ms(histogram.mean()),
            p50: quantile(0.5),
            p95: quantile(0.95),
            p99: quantile(0.99),
            p999: quantile(0.999),
            max: ms(histogram.max() as f64),
        })
    }

    /// The histogram that it was made from, in microseconds.
    ///
    /// # Errors
    /// The text is not a histogram.
    pub fn histogram(&self) -> anyhow::Result<Histogram<u64>> {
        let bytes = STANDARD.decode(&self.histogram)?;
        Deserializer::new()
            .deserialize(&mut bytes.as_slice())
            .with_context(|| format!("'{}' holds no histogram", self.name))
    }
}

fn ms(us: f64) -> f64 {
    us / 1000.0
}
