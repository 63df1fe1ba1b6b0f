//! `burgee user`: people's accounts, for whoever has the database.

use std::process::ExitCode;

use anyhow::Context;
use burgee_domain::people::Email;
use burgee_server::{now, setup};
use burgee_store::Actor;

use crate::admin::open;
use crate::args::people::ResetPasswordArgs;

/// `burgee user reset-password`.
pub(crate) async fn reset_password(args: ResetPasswordArgs) -> anyhow::Result<ExitCode> {
    let email = Email::new(&args.email).with_context(|| format!("`{}`", args.email))?;
    let store = open(&args.data).await?;
    let account = store.account_by_email(&email).await?;
    let account = account.with_context(|| format!("nobody signs in by `{email}`"))?;
    let password = setup::temporary_password(&store, &account.id).await?;
    if args.without_second_factor {
        store
            .remove_second_factor(&account.id, Some(&Actor::operator()), now())
            .await?;
    }
    println!("{password}");
    eprintln!("It must be changed when {email} signs in. All their sessions have ended.");
    Ok(ExitCode::SUCCESS)
}
