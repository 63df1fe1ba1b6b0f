//! A decision as one line of JSON.

use burgee_edge::sink::Decision;
use burgee_eval::time::Millis;
use serde::Serialize;

/// A decision, as it is written outside of the database.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Line<'a> {
    /// When, ISO 8601.
    pub at: String,
    /// The environment's id.
    pub environment: &'a str,
    /// The user's key.
    pub user: &'a str,
    /// The flag's key.
    pub flag: &'a str,
    /// The flag's id.
    pub flag_id: &'a str,
    /// The variation's id.
    pub variation: &'a str,
    /// How it was given, e.g. `stream`.
    pub surface: &'a str,
    /// Why; null where an SDK says only what.
    pub reason: Option<&'a str>,
    /// The rule's id, where it was one.
    pub rule: Option<&'a str>,
    /// The environment's version; null where an SDK says only what.
    pub version: Option<i64>,
    /// `<version>.<digest>`; likewise.
    pub position: Option<String>,
}

impl<'a> From<&'a Decision> for Line<'a> {
    fn from(decision: &'a Decision) -> Self {
        let texts = decision.texts();
        let given = |text: &'a str| Some(text).filter(|text| !text.is_empty());
        Self {
            at: Millis(decision.at).to_string(),
            environment: &decision.environment,
            user: texts.user,
            flag: texts.flag,
            flag_id: texts.flag_id,
            variation: texts.variation,
            surface: texts.surface,
            reason: given(texts.reason),
            rule: given(texts.rule),
            version: decision.position.map(|it| it.version),
            position: decision.position.map(|it| it.to_string()),
        }
    }
}
