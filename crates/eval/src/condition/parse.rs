//! Texts read as what an operator compares. The same readers serve a condition's value, once, and a
//! user's, each time.

use std::net::IpAddr;

use ipnet::IpNet;
use semver::{BuildMetadata, Prerelease, Version};

/// A number: decimal, perhaps with sign, fraction and exponent, or infinite; blanks around it do
/// not count. Thousands commas, hexadecimals and underscores are no numbers: each SDK that takes
/// them gives them another meaning. Never NaN.
pub(super) fn number(text: &str) -> Option<f64> {
    let number: f64 = text.trim().parse().ok()?;
    (!number.is_nan()).then_some(number)
}

/// A JSON list of texts. A `null` among them equals nothing, as in every SDK.
pub(crate) fn list(text: &str) -> Result<Vec<String>, String> {
    let texts: Result<Vec<Option<String>>, _> = serde_json::from_str(text);
    match texts {
        Ok(texts) => Ok(texts.into_iter().flatten().collect()),
        Err(_) => Err("the value is no JSON list of texts".to_owned()),
    }
}

/// A semantic version. Missing minor and patch numbers are 0, a leading `v` is passed over, build
/// metadata does not count.
pub(super) fn version(text: &str) -> Option<Version> {
    let text = text.trim();
    let text = text.strip_prefix(['v', 'V']).unwrap_or(text);
    let text = text.split_once('+').map_or(text, |(rest, _build)| rest);
    let (numbers, pre) = match text.split_once('-') {
        Some((numbers, pre)) => (
            numbers,
            Prerelease::new(pre).ok().filter(|pre| !pre.is_empty())?,
        ),
        None => (text, Prerelease::EMPTY),
    };
    let mut parts = numbers.split('.');
    let major = version_number(parts.next()?)?;
    let minor = parts.next().map_or(Some(0), version_number)?;
    let patch = parts.next().map_or(Some(0), version_number)?;
    parts.next().is_none().then_some(Version {
        major,
        minor,
        patch,
        pre,
        build: BuildMetadata::EMPTY,
    })
}

fn version_number(text: &str) -> Option<u64> {
    let digits = text.bytes().all(|byte| byte.is_ascii_digit());
    digits.then(|| text.parse().ok()).flatten()
}

/// Networks: one in CIDR form, or a JSON list of them. A single address is a network of one.
pub(super) fn networks(text: &str) -> Result<Vec<IpNet>, String> {
    let network = |text: &str| {
        let text = text.trim();
        let parsed = text
            .parse::<IpNet>()
            .or_else(|_| text.parse::<IpAddr>().map(IpNet::from));
        parsed.map_err(|_| format!("{text:?} is no network, as 10.0.0.0/8 or 2001:db8::/32 is"))
    };
    match text.trim_start().starts_with('[') {
        true => list(text)?.iter().map(|text| network(text)).collect(),
        false => Ok(vec![network(text)?]),
    }
}
