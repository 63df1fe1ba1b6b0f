//! Numbers as people read them: three digits that count, thousands apart, units that fit.

/// A value in its unit: `26,012/s`, `0.123 ms`, `31.4 MiB`; a dash where there is no number.
pub fn quantity(value: f64, unit: &str) -> String {
    match unit {
        _ if !value.is_finite() => "–".to_owned(),
        "" => plain(value),
        "1/s" => format!("{}/s", plain(value)),
        "bytes" => bytes(value),
        "cores" => format!("{value:.3} {unit}"),
        "ms" if value.abs() >= 10_000.0 => format!("{} s", plain(value / 1000.0)),
        _ => format!("{} {unit}", plain(value)),
    }
}

/// A number by itself.
pub fn plain(value: f64) -> String {
    let size = value.abs();
    if !value.is_finite() {
        "–".to_owned()
    } else if size >= 999.5 {
        grouped(value)
    } else if value.fract() == 0.0 || size >= 99.95 {
        format!("{value:.0}")
    } else if size >= 9.995 {
        format!("{value:.1}")
    } else if size >= 0.9995 {
        format!("{value:.2}")
    } else {
        format!("{value:.3}")
    }
}

/// A ratio: `0.97×`.
pub fn ratio(value: f64) -> String {
    if value.is_finite() {
        format!("{value:.2}×")
    } else {
        "–".to_owned()
    }
}

/// A round number beside an axis: no zeros at the end.
pub fn short(value: f64) -> String {
    let text = plain(value);
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text,
    }
}

fn grouped(value: f64) -> String {
    let digits = format!("{:.0}", value.abs());
    let mut text = String::new();
    if value < 0.0 {
        text.push('-');
    }
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index) % 3 == 0 {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// The unit that a number of bytes is told in, and how many bytes that is.
pub fn binary_unit(bytes: f64) -> (&'static str, f64) {
    const UNITS: [(&str, f64); 3] = [
        ("GiB", 1_073_741_824.0),
        ("MiB", 1_048_576.0),
        ("KiB", 1_024.0),
    ];
    // Up to 10 KiB the bytes themselves are what a reader compares.
    let fits = |(_, size): &(&str, f64)| bytes.abs() >= size.max(10_240.0);
    UNITS.into_iter().find(fits).unwrap_or(("bytes", 1.0))
}

fn bytes(value: f64) -> String {
    let (unit, size) = binary_unit(value);
    format!("{} {unit}", plain(value / size))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_keep_three_digits_and_their_unit() {
        let cases = [
            (26_011.7, "1/s", "26,012/s"),
            (1_234_567.0, "", "1,234,567"),
            (999.7, "", "1,000"),
            (18_000.0, "", "18,000"),
            (5.0, "", "5"),
            (0.0, "ms", "0 ms"),
            (0.1234, "ms", "0.123 ms"),
            (5.426, "ms", "5.43 ms"),
            (96.70, "ms", "96.7 ms"),
            (170.3, "ms", "170 ms"),
            (12_345.0, "ms", "12.3 s"),
            (0.8249, "cores", "0.825 cores"),
            (0.5, "ms", "0.500 ms"),
            (121.0, "bytes", "121 bytes"),
            (1_030.0, "bytes", "1,030 bytes"),
            (33_554_432.0, "bytes", "32 MiB"),
            (52.4, "µs", "52.4 µs"),
            (-1_500.0, "", "-1,500"),
            (f64::NAN, "ms", "–"),
        ];
        for (value, unit, text) in cases {
            assert_eq!(quantity(value, unit), text, "{value} {unit}");
        }
        assert_eq!(
            [0.2, 0.02, 1.5, 20.0].map(short),
            ["0.2", "0.02", "1.5", "20"]
        );
    }
}
