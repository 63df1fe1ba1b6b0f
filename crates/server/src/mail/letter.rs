//! What is written to people. Plain text: it is read everywhere, and a link shows where it leads.

use burgee_domain::people::Email;

/// A mail.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Letter {
    /// To whom.
    pub to: String,
    /// What it is about.
    pub subject: &'static str,
    /// What it says.
    pub text: String,
}

impl Letter {
    /// Somebody is invited, by a link that works for a week.
    pub fn invitation(to: &Email, by: &str, link: &str) -> Self {
        Self {
            to: to.as_str().to_owned(),
            subject: "You are invited to Burgee",
            text: format!(
                "{by} invites you to Burgee. Follow this link to come in:\n\n{link}\n\n\
                 It works once, for a week. If you do not know who that is, do nothing.\n"
            ),
        }
    }

    /// Somebody asked for a link to choose a new password, which works for an hour.
    pub fn reset(to: &str, link: &str) -> Self {
        Self {
            to: to.to_owned(),
            subject: "Choose a new password for Burgee",
            text: format!(
                "Somebody, hopefully you, asked for a new password. Follow this link to choose \
                 one:\n\n{link}\n\n\
                 It works once, for an hour. If it was not you, do nothing: your password stays.\n"
            ),
        }
    }

    /// The password was changed.
    pub fn password_changed(to: &str, place: &str) -> Self {
        Self::notice(
            to,
            "Your password for Burgee was changed",
            "password was changed",
            place,
        )
    }

    /// A second factor was set up.
    pub fn second_factor_set(to: &str, place: &str) -> Self {
        let subject = "A second factor was set up for Burgee";
        Self::notice(to, subject, "second factor was set up", place)
    }

    /// The second factor was taken away.
    pub fn second_factor_removed(to: &str, place: &str) -> Self {
        let subject = "Your second factor for Burgee was removed";
        Self::notice(to, subject, "second factor was removed", place)
    }

    fn notice(to: &str, subject: &'static str, what: &str, place: &str) -> Self {
        Self {
            to: to.to_owned(),
            subject,
            text: format!(
                "Your {what} at {place}.\n\n\
                 If it was not you, ask for a new password there at once, or ask an owner of your \
                 organization to make you a link.\n"
            ),
        }
    }
}
