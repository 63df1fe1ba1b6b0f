//! Organizations, people's accounts, and access tokens.

use clap::{Args, Subcommand};

use super::{DataArgs, OrganizationArgs};

/// `burgee token`.
#[derive(Debug, Subcommand)]
pub(crate) enum TokenCommand {
    /// Make a token. It is shown once.
    Create(TokenCreateArgs),
    /// Show the tokens: what each is for, what it may do, when it was last used.
    List(TokenListArgs),
    /// Make a token worthless, at once and for good.
    Revoke(TokenRevokeArgs),
}

/// `burgee token create`.
#[derive(Debug, Args)]
pub(crate) struct TokenCreateArgs {
    /// What the token is for; shown in the audit log.
    #[arg(long)]
    pub(crate) name: String,
    /// What it may do: the key of a policy, e.g. `owner` (everything), `developer`, `reader` (only
    /// look). May be given several times.
    #[arg(long, value_name = "POLICY", required = true)]
    pub(crate) policy: Vec<String>,
    /// One JSON object: `{"token":"bgt_…"}`.
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) of: OrganizationArgs,
    #[command(flatten)]
    pub(crate) data: DataArgs,
}

/// `burgee token list`.
#[derive(Debug, Args)]
pub(crate) struct TokenListArgs {
    /// A JSON list, with revoked and expired tokens too.
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) of: OrganizationArgs,
    #[command(flatten)]
    pub(crate) data: DataArgs,
}

/// `burgee token revoke`.
#[derive(Debug, Args)]
pub(crate) struct TokenRevokeArgs {
    /// The token's id, as `burgee token list` shows it.
    #[arg(value_name = "ID")]
    pub(crate) id: String,
    #[command(flatten)]
    pub(crate) of: OrganizationArgs,
    #[command(flatten)]
    pub(crate) data: DataArgs,
}

/// `burgee organization`.
#[derive(Debug, Subcommand)]
pub(crate) enum OrganizationCommand {
    /// Make an organization with an owner, and nothing else in it.
    Create(OrganizationCreateArgs),
    /// Show the organizations, by key.
    List(OrganizationListArgs),
}

/// `burgee organization create`.
#[derive(Debug, Args)]
pub(crate) struct OrganizationCreateArgs {
    /// Its key, which never changes.
    #[arg(long, value_name = "KEY")]
    pub(crate) key: String,
    /// Its name; the key where not given.
    #[arg(long, value_name = "NAME")]
    pub(crate) name: Option<String>,
    /// The address of mail that its owner signs in by. Who has no account yet gets one, with a
    /// password that is shown once.
    #[arg(long, value_name = "EMAIL")]
    pub(crate) owner: String,
    #[command(flatten)]
    pub(crate) data: DataArgs,
}

/// `burgee organization list`.
#[derive(Debug, Args)]
pub(crate) struct OrganizationListArgs {
    /// A JSON list of `{"key": …, "name": …}`.
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) data: DataArgs,
}

/// `burgee user`.
#[derive(Debug, Subcommand)]
pub(crate) enum UserCommand {
    /// Give somebody a password that they have to change when they sign in.
    ResetPassword(ResetPasswordArgs),
}

/// `burgee user reset-password`.
#[derive(Debug, Args)]
pub(crate) struct ResetPasswordArgs {
    /// The address of mail that they sign in by.
    #[arg(value_name = "EMAIL")]
    pub(crate) email: String,
    /// Take their second factor away too.
    #[arg(long)]
    pub(crate) without_second_factor: bool,
    #[command(flatten)]
    pub(crate) data: DataArgs,
}
