//! The figures that FeatBit published.

/// What was published of a rate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Published {
    /// New connections per second at the end of the ramp.
    rate: f64,
    /// Response time in ms: mean, P95, P99.
    pub(super) response: [f64; 3],
    /// Peak CPU in per cent of one: in the ramp, when stable.
    pub(super) cpu: [f64; 2],
    /// Peak memory in per cent of 1 GiB: in the ramp, when stable.
    pub(super) memory: [f64; 2],
}

const PUBLISHED: [Published; 3] = [
    Published {
        rate: 1000.0,
        response: [5.42, 24.7, 96.70],
        cpu: [82.0, 26.0],
        memory: [55.0, 38.0],
    },
    Published {
        rate: 1100.0,
        response: [9.98, 55.51, 170.30],
        cpu: [88.0, 29.0],
        memory: [58.0, 42.0],
    },
    Published {
        rate: 1200.0,
        response: [34.17, 147.91, 254.60],
        cpu: [91.0, 31.0],
        memory: [61.0, 45.0],
    },
];

/// What was published of this rate, if anything was.
pub(super) fn at(rate: f64) -> Option<&'static Published> {
    PUBLISHED.iter().find(|published| published.rate == rate)
}
