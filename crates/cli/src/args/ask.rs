//! Questions to a server: what a user gets, why, and who moved.

use clap::Args;

/// A server, and an environment there.
#[derive(Debug, Args)]
pub(crate) struct PlaceArgs {
    /// The server's address.
    #[arg(
        long,
        env = "BURGEE_URL",
        default_value = "http://127.0.0.1:5100",
        value_name = "URL"
    )]
    pub(crate) url: String,
    /// A token that may read there, as `burgee token create --policy reader` makes it.
    #[arg(long, env = "BURGEE_TOKEN", hide_env_values = true)]
    pub(crate) token: String,
    /// The project's key.
    #[arg(long, value_name = "KEY")]
    pub(crate) project: String,
    /// The environment's key.
    #[arg(long, value_name = "KEY")]
    pub(crate) environment: String,
    /// The answer as the API gives it, JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

/// For whom, and when.
#[derive(Debug, Args)]
pub(crate) struct WhoArgs {
    /// The user's key. By itself it names a user whom the server knows.
    #[arg(long, value_name = "KEY", required_unless_present = "context")]
    pub(crate) user: Option<String>,
    /// The user as an OpenFeature context: JSON with `targetingKey` and attributes of any type.
    #[arg(long, value_name = "JSON", conflicts_with_all = ["user", "name", "property"],
        value_parser = json)]
    pub(crate) context: Option<serde_json::Value>,
    /// A name: then the user is as given here, known or not.
    #[arg(long)]
    pub(crate) name: Option<String>,
    /// A property, likewise; may be given several times.
    #[arg(long, value_name = "NAME=VALUE", value_parser = property)]
    pub(crate) property: Vec<(String, String)>,
    /// As it was: a version of the environment (`41`), or a moment (`2026-11-24T14:03:00Z`).
    #[arg(long, value_name = "VERSION|MOMENT")]
    pub(crate) at: Option<Moment>,
}

/// `burgee evaluate`.
#[derive(Debug, Args)]
pub(crate) struct EvaluateArgs {
    /// A flag's key; all flags where not given.
    #[arg(value_name = "FLAG")]
    pub(crate) flag: Option<String>,
    #[command(flatten)]
    pub(crate) who: WhoArgs,
    #[command(flatten)]
    pub(crate) place: PlaceArgs,
}

/// `burgee explain`.
#[derive(Debug, Args)]
pub(crate) struct ExplainArgs {
    /// The flag's key.
    #[arg(value_name = "FLAG")]
    pub(crate) flag: String,
    #[command(flatten)]
    pub(crate) who: WhoArgs,
    #[command(flatten)]
    pub(crate) place: PlaceArgs,
}

/// `burgee diff`.
#[derive(Debug, Args)]
pub(crate) struct DiffArgs {
    /// Before: a version of the environment, or a moment.
    #[arg(long, value_name = "VERSION|MOMENT")]
    pub(crate) from: Moment,
    /// After; the present where not given.
    #[arg(long, value_name = "VERSION|MOMENT")]
    pub(crate) to: Option<Moment>,
    #[command(flatten)]
    pub(crate) place: PlaceArgs,
}

/// A state of an environment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Moment {
    /// A version.
    Version(i64),
    /// A moment, as the server will read it.
    At(String),
}

impl std::str::FromStr for Moment {
    type Err = std::convert::Infallible;

    /// What is no number is a moment; the server says what is wrong with one that is none.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Ok(match text.parse() {
            Ok(version) => Self::Version(version),
            Err(_) => Self::At(text.to_owned()),
        })
    }
}

/// JSON, whose numbers stay as they are written where 64 bits hold them.
fn json(text: &str) -> Result<serde_json::Value, String> {
    serde_json::from_str(text).map_err(|why| why.to_string())
}

/// `NAME=VALUE`; a value may have further `=`.
fn property(text: &str) -> Result<(String, String), String> {
    let (name, value) = text
        .split_once('=')
        .ok_or("write NAME=VALUE, e.g. country=de")?;
    Ok((name.to_owned(), value.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::{Moment, property};

    #[test]
    fn numbers_are_versions_and_all_else_is_a_moment() {
        let read = |text: &str| text.parse::<Moment>().unwrap();
        assert_eq!(read("41"), Moment::Version(41));
        assert_eq!(read("-1"), Moment::Version(-1));
        for moment in ["2026-11-24T14:03:00Z", "", "4 1"] {
            assert_eq!(read(moment), Moment::At(moment.to_owned()));
        }
    }

    #[test]
    fn properties_may_hold_anything_after_the_first_sign() {
        let of = |name: &str, value: &str| Ok((name.to_owned(), value.to_owned()));
        assert_eq!(property("a=b=c"), of("a", "b=c"));
        assert_eq!(property("a="), of("a", ""));
        assert!(property("a").is_err());
    }
}
