//! Single sign-on, as far as it needs no network: the rules by which an organization takes what its
//! provider says of a person, and what follows from them.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::Email;
use crate::fault::{Fault, Rejected, shown};

/// The most groups that a provider's are mapped to: a table that somebody reads.
pub const MAX_GROUP_MAPPINGS: usize = 500;

/// The most domains: those of one company and what it bought.
pub const MAX_DOMAINS: usize = 100;

/// The most scopes that are asked for; all of them stand in one address.
pub const MAX_SCOPES: usize = 20;

/// The longest name of a claim, value of one, scope or domain, in bytes (a domain's limit, RFC 1035).
pub const MAX_CLAIM: usize = 255;

/// The most values of a groups claim that are looked at: Entra ID sends 200 at most.
const MAX_CLAIMED_GROUPS: usize = 5_000;

/// Which claims say what.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ClaimNames {
    /// The address of mail.
    pub email: String,
    /// Whether the provider made sure of the address.
    pub email_verified: String,
    /// The display name.
    pub name: String,
    /// The groups, a list of texts or one text; none where groups are given here alone.
    pub groups: Option<String>,
}

/// A group that comes with a value of the groups claim.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct GroupMapping {
    /// What the claim says.
    pub value: String,
    /// The folded key of the group that it gives.
    pub group: String,
}

/// The rules of one organization.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SignOnRules {
    /// What is asked of the provider besides `openid`.
    pub scopes: Vec<String>,
    /// Which claims say what.
    pub claims: ClaimNames,
    /// Which groups come with which values of the groups claim.
    pub groups: Vec<GroupMapping>,
    /// Domains, in lower case, whose addresses may join by themselves.
    pub domains: Vec<String>,
    /// Folded keys of the policies that who joins so has.
    pub newcomer_policies: Vec<String>,
    /// Folded keys of the groups that who joins so is in.
    pub newcomer_groups: Vec<String>,
}

/// What a provider says of a person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claimed {
    /// The address of mail, where the provider made sure of it.
    pub email: Option<Email>,
    /// The display name.
    pub name: Option<String>,
    /// The values of the groups claim. A provider that leaves the claim out gives none: some do so
    /// for whoever is in no group.
    pub groups: Vec<String>,
}

impl SignOnRules {
    /// Checks limits and forms.
    ///
    /// # Errors
    /// With a pointer into the API's body; the index of the command means nothing.
    pub fn check(&self) -> Result<(), Rejected> {
        self.faults().map_err(|fault| fault.of_command(0))
    }

    fn faults(&self) -> Result<(), Fault> {
        few("/scopes", self.scopes.len(), MAX_SCOPES)?;
        for (index, scope) in self.scopes.iter().enumerate() {
            let at = format!("/scopes/{index}");
            text(&at, scope)?;
            // RFC 6749 §3.3.
            if scope.contains(|it: char| !it.is_ascii_graphic() || it == '"' || it == '\\') {
                let message = "a scope has no blanks, quotes or backslashes";
                return Err(Fault::new(at, "scopeInvalid", message));
            }
        }
        let claims = &self.claims;
        text("/claims/email", &claims.email)?;
        text("/claims/emailVerified", &claims.email_verified)?;
        text("/claims/name", &claims.name)?;
        if let Some(groups) = &claims.groups {
            text("/claims/groups", groups)?;
        }
        few("/groups", self.groups.len(), MAX_GROUP_MAPPINGS)?;
        for (index, mapping) in self.groups.iter().enumerate() {
            text(&format!("/groups/{index}/value"), &mapping.value)?;
        }
        if claims.groups.is_none() && !self.groups.is_empty() {
            let message = "groups come from a claim: name it in claims.groups";
            return Err(Fault::new("/claims/groups", "groupsClaimMissing", message));
        }
        few("/domains", self.domains.len(), MAX_DOMAINS)?;
        for (index, domain) in self.domains.iter().enumerate() {
            let at = format!("/domains/{index}");
            text(&at, domain)?;
            if domain.contains(|it: char| it == '@' || it == '*' || it.is_whitespace()) {
                let message = format!("`{}` is no domain such as example.com", shown(domain));
                return Err(Fault::new(at, "domainInvalid", message));
            }
        }
        Ok(())
    }

    /// What the claims of a person say, by these rules. A claim of another type than expected says
    /// nothing.
    pub fn read(&self, claims: &Map<String, Value>) -> Claimed {
        let names = &self.claims;
        let verified = match claims.get(&names.email_verified) {
            Some(Value::Bool(verified)) => *verified,
            // Some providers write all claims as texts, Entra ID its own (`xms_edov`) as a number.
            Some(Value::String(text)) => text == "true" || text == "1",
            Some(Value::Number(number)) => number.as_i64() == Some(1),
            _ => false,
        };
        let said = |name: &str| claims.get(name).and_then(Value::as_str);
        let email = said(&names.email).filter(|_| verified);
        let groups = names.groups.as_ref().and_then(|name| claims.get(name));
        let groups = match groups {
            Some(Value::String(one)) => vec![one.clone()],
            Some(Value::Array(all)) => {
                let texts = all.iter().filter_map(Value::as_str);
                texts.take(MAX_CLAIMED_GROUPS).map(str::to_owned).collect()
            }
            _ => Vec::new(),
        };
        Claimed {
            email: email.and_then(|email| Email::new(email).ok()),
            name: said(&names.name).map(str::to_owned),
            groups,
        }
    }

    /// Whether somebody with this address may join without an invitation.
    pub fn lets_join(&self, email: &Email) -> bool {
        let folded = email.folded();
        let domain = folded.rsplit_once('@').map_or("", |(_, domain)| domain);
        self.domains.iter().any(|it| it == domain)
    }

    /// The groups that somebody is in from now on: those that the mapping speaks of are as the
    /// provider says, all others stay.
    pub fn groups_of(&self, present: &[String], claimed: &[String]) -> Vec<String> {
        let mapped = |group: &str| self.groups.iter().any(|it| it.group == group);
        let given = |it: &&GroupMapping| claimed.contains(&it.value);
        let mut groups: Vec<String> = present.to_vec();
        groups.retain(|group| !mapped(group));
        for mapping in self.groups.iter().filter(given) {
            if !groups.contains(&mapping.group) {
                groups.push(mapping.group.clone());
            }
        }
        groups
    }
}

fn few(at: &str, count: usize, most: usize) -> Result<(), Fault> {
    match count <= most {
        true => Ok(()),
        false => {
            let message = format!("there are {count}; the limit is {most}");
            Err(Fault::new(at, "listTooLong", message))
        }
    }
}

/// A text that a provider compares: not empty, and not long.
fn text(at: &str, text: &str) -> Result<(), Fault> {
    if text.is_empty() || text.len() > MAX_CLAIM {
        let message = format!("give 1 to {MAX_CLAIM} bytes");
        return Err(Fault::new(at, "textLength", message));
    }
    match text.contains(char::is_control) {
        true => Err(Fault::new(
            at,
            "controlCharacter",
            "give no control characters",
        )),
        false => Ok(()),
    }
}

#[cfg(test)]
mod tests;
