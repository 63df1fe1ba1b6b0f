//! What of the history, or of the audit log, is looked for.

use burgee_store::HistoryFilter;
use burgee_store::page::PageRequest;
use serde::Deserialize;
use serde_json::Value;
use utoipa::IntoParams;

use super::view::ChangeView;
use crate::api::page::PageQuery;
use crate::params::moment;
use crate::problem::Problem;

/// How long a text may be that is looked for, in bytes.
const MAX_TEXT: usize = 256;

/// Where something was done, as [`FilterQuery`] reads it.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(rename_all = "camelCase")]
pub struct PlaceQuery {
    /// The key of the project that it is about; also of one that was deleted.
    pub project: Option<String>,
    /// The key of the environment in `project` that it is about.
    pub environment: Option<String>,
}

/// What is looked for, as [`FilterQuery`] reads it. Every condition must hold.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(rename_all = "camelCase")]
pub struct HistoryQuery {
    /// Who did it: an id, or a name as it was at the time (a member's address, a token's name,
    /// `operator`, `system`), without regard to case. 256 bytes at most.
    pub actor: Option<String>,
    /// A kind of command, e.g. `turnOn` or `signIn`.
    pub kind: Option<String>,
    /// The key of a flag that it changed; also of one that was deleted.
    pub flag: Option<String>,
    /// The key of a segment that it changed, of whichever scope; also of one that was deleted.
    pub segment: Option<String>,
    /// Asked for at this moment or later, ISO 8601.
    pub from: Option<String>,
    /// Asked for before this moment, ISO 8601.
    pub to: Option<String>,
    /// A text in who did it, the comment, or the words of what changed (the first 8 KiB of them),
    /// without regard to case. 256 bytes at most.
    pub text: Option<String>,
}

/// All that a list can be asked for at once; serde cannot flatten where unknown fields are refused.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FilterQuery {
    project: Option<String>,
    environment: Option<String>,
    actor: Option<String>,
    kind: Option<String>,
    flag: Option<String>,
    segment: Option<String>,
    from: Option<String>,
    to: Option<String>,
    text: Option<String>,
    cursor: Option<String>,
    limit: Option<i64>,
}

impl FilterQuery {
    /// The filter and the page.
    pub(in crate::api) fn split(mut self) -> Result<(HistoryFilter, PageRequest), Problem> {
        let page = PageQuery {
            cursor: self.cursor.take(),
            limit: self.limit.take(),
        };
        let page = page.try_into()?;
        Ok((self.filter()?, page))
    }

    /// The filter, where there are no pages.
    pub(in crate::api) fn unpaged(self) -> Result<HistoryFilter, Problem> {
        let paged = [
            ("cursor", self.cursor.is_some()),
            ("limit", self.limit.is_some()),
        ];
        refuse(paged, "this list has no pages")?;
        self.filter()
    }

    /// As [`Self::split`], where the address says the place.
    pub(super) fn of_place(self) -> Result<(HistoryFilter, PageRequest), Problem> {
        let placed = [
            ("project", self.project.is_some()),
            ("environment", self.environment.is_some()),
        ];
        refuse(placed, "the address says it")?;
        self.split()
    }

    /// The environment, where the address says the project.
    pub(super) fn take_environment(&mut self) -> Option<String> {
        match self.project {
            None => self.environment.take(),
            Some(_) => None,
        }
    }

    fn filter(self) -> Result<HistoryFilter, Problem> {
        if self.environment.is_some() && self.project.is_none() {
            let message = "name the project too";
            return Err(Problem::invalid("environment", "projectMissing", message));
        }
        if let Some(kind) = &self.kind
            && (kind.is_empty() || !kind.chars().all(|it| it.is_ascii_alphanumeric()))
        {
            let message = "a kind has letters only, e.g. turnOn";
            return Err(Problem::invalid("kind", "kindInvalid", message));
        }
        let moment = |name, text: Option<String>| text.map(|it| moment(name, &it)).transpose();
        Ok(HistoryFilter {
            actor: short("actor", self.actor)?,
            kind: short("kind", self.kind)?,
            project: short("project", self.project)?,
            environment: short("environment", self.environment)?,
            flag: short("flag", self.flag)?,
            segment: short("segment", self.segment)?,
            from: moment("from", self.from)?,
            to: moment("to", self.to)?,
            text: short("text", self.text)?,
        })
    }
}

fn refuse<const N: usize>(given: [(&str, bool); N], why: &str) -> Result<(), Problem> {
    match given.iter().find(|(_, given)| *given) {
        Some((name, _)) => Err(Problem::invalid(*name, "unknownField", why)),
        None => Ok(()),
    }
}

fn short(name: &str, text: Option<String>) -> Result<Option<String>, Problem> {
    match text {
        Some(text) if text.len() > MAX_TEXT => {
            let message = format!("must have at most {MAX_TEXT} bytes");
            Err(Problem::invalid(name, "length", message))
        }
        text => Ok(text),
    }
}

/// Whether what somebody sees of a change set is what was looked for. What is found by the part that
/// they may not see would tell them of it.
pub(super) fn still_fits(view: &ChangeView, filter: &HistoryFilter) -> bool {
    let names = |name: &str, key: &Option<String>| {
        let Some(key) = key else {
            return true;
        };
        let mut lines = view.diff.iter();
        let line = |of: &burgee_domain::diff::DiffLine| {
            let found = of.params.get(name);
            found.is_some_and(|found| found.eq_ignore_ascii_case(key))
        };
        lines.any(line)
    };
    let kind = filter
        .kind
        .as_ref()
        .is_none_or(|kind| match &view.commands {
            Value::Array(commands) => commands.iter().any(|it| it["kind"] == kind.as_str()),
            // Left out for their size: what kind they are tells nothing.
            _ => true,
        });
    let text = filter.text.as_ref().is_none_or(|text| {
        let text = text.to_lowercase();
        let mut seen = vec![&view.actor, &view.comment];
        seen.extend(view.diff.iter().map(|line| &line.text));
        seen.iter().any(|it| it.to_lowercase().contains(&text))
    });
    kind && text && names("flag", &filter.flag) && names("segment", &filter.segment)
}
