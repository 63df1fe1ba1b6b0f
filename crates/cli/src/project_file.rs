//! `burgee export`, `burgee plan`, `burgee apply`: a project as a file, to be kept in Git.

use std::collections::BTreeSet;
use std::io::{BufRead, IsTerminal, Read};
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, ensure};
use burgee_domain::access::Rights;
use burgee_domain::admission::EnvironmentNeeds;
use burgee_domain::file::{self, Done, Format, MAX_FILE, ProjectFile};
use burgee_domain::key::Key;
use burgee_domain::model::{Organization, Project};
use burgee_server::now;
use burgee_store::{Actor, FileRequest, Filed, Store};
use serde_json::json;

use crate::admin::{open, organization};
use crate::args::OrganizationArgs;
use crate::args::files::{ApplyArgs, ExportArgs, FileArgs, FileFormat, PlanArgs};
use crate::out;

/// `burgee plan` says so where there is something to do.
const SOMETHING_TO_DO: u8 = 2;

/// `burgee export`.
pub(crate) async fn export(args: ExportArgs) -> anyhow::Result<ExitCode> {
    let store = open(&args.data).await?;
    let (organization, project) = project(&store, &args.of, &args.project).await?;
    let present = store.present(&organization.id, &project.id).await?;
    let format = match args.format {
        FileFormat::Yaml => Format::Yaml,
        FileFormat::Json => Format::Json,
    };
    let text = file::write(&file::export(&present), format)?;
    match args.to {
        None => out::say(&text)?,
        Some(to) => std::fs::write(&to, text)
            .with_context(|| format!("--to: {} cannot be written", to.display()))?,
    }
    Ok(ExitCode::SUCCESS)
}

/// `burgee plan`: 0 where everything is as the file says, 2 where it is not, 1 for an error.
pub(crate) async fn plan(args: PlanArgs) -> anyhow::Result<ExitCode> {
    let work = Work::new(&args.file).await?;
    let filed = work.run("", None, true).await?;
    if args.json {
        out::say(&format!("{:#}\n", shown(&filed)))?;
    } else {
        print(&filed);
    }
    Ok(match filed.plan.is_empty() {
        true => ExitCode::SUCCESS,
        false => ExitCode::from(SOMETHING_TO_DO),
    })
}

/// `burgee apply`: shows the plan, asks, and does it.
pub(crate) async fn apply(args: ApplyArgs) -> anyhow::Result<ExitCode> {
    let work = Work::new(&args.file).await?;
    let filed = work.run(&args.comment, None, true).await?;
    print(&filed);
    if filed.plan.is_empty() {
        return Ok(ExitCode::SUCCESS);
    }
    if !args.yes && !is_wanted(&args.file.file)? {
        println!("Nothing was changed.");
        return Ok(ExitCode::FAILURE);
    }
    let filed = work.run(&args.comment, args.override_reason, false).await?;
    println!("Applied as {} change sets.", filed.applied.len());
    Ok(ExitCode::SUCCESS)
}

/// Asks whoever typed the command.
fn is_wanted(file: &Path) -> anyhow::Result<bool> {
    ensure!(
        std::io::stdin().is_terminal() || file != Path::new("-"),
        "the file was read from standard input, where no answer can come from: add --yes"
    );
    eprint!("Apply it? Type `yes`: ");
    let mut answer = String::new();
    std::io::stdin().lock().read_line(&mut answer)?;
    Ok(answer.trim() == "yes")
}

/// A file and the project that it is for.
struct Work {
    store: Store,
    organization: Organization,
    project: Project,
    file: ProjectFile,
    prune: bool,
}

impl Work {
    async fn new(args: &FileArgs) -> anyhow::Result<Self> {
        let name = args.file.display();
        let text = text(&args.file).with_context(|| format!("{name} cannot be read"))?;
        let file = file::read(&text).with_context(|| name.to_string())?;
        let store = open(&args.data).await?;
        let key = args.project.as_deref().unwrap_or(&file.project);
        let (organization, project) = project(&store, &args.of, key).await?;
        Ok(Self {
            store,
            organization,
            project,
            file,
            prune: args.prune,
        })
    }

    async fn run(
        &self,
        comment: &str,
        override_reason: Option<String>,
        dry_run: bool,
    ) -> anyhow::Result<Filed> {
        let request = FileRequest {
            organization: self.organization.id.clone(),
            actor: Actor::operator(),
            rights: Rights::everything(),
            project: self.project.id.clone(),
            file: self.file.clone(),
            prune: self.prune,
            comment: comment.to_owned(),
            override_reason,
            dry_run,
            now: now(),
        };
        Ok(self.store.apply_file(&request).await?)
    }
}

/// The text of a file, no more of it than a file has.
fn text(path: &Path) -> std::io::Result<String> {
    let mut text = String::new();
    let most = MAX_FILE as u64 + 1;
    match path == Path::new("-") {
        true => std::io::stdin()
            .lock()
            .take(most)
            .read_to_string(&mut text)?,
        false => std::fs::File::open(path)?
            .take(most)
            .read_to_string(&mut text)?,
    };
    Ok(text)
}

async fn project(
    store: &Store,
    of: &OrganizationArgs,
    key: &str,
) -> anyhow::Result<(Organization, Project)> {
    let organization = organization(store, of).await?;
    let key = Key::new(key).with_context(|| format!("the project `{key}`"))?;
    let project = store.project(&organization.id, &key).await;
    let project = project.with_context(|| format!("the project `{key}`"))?;
    Ok((organization, project))
}

fn shown(filed: &Filed) -> serde_json::Value {
    let environments = filed.plan.environments.iter().map(|it| {
        json!({
            "kind": "environment",
            "environment": null,
            "key": it.wanted.key.as_str(),
            "result": it.done,
            "commands": it.act().map(|kind| json!({
                "kind": kind,
                "name": it.wanted.name,
                "description": it.wanted.description,
            })).into_iter().collect::<Vec<_>>(),
        })
    });
    let items = filed.plan.groups.iter().map(|group| {
        json!({
            "kind": group.kind,
            "environment": group.environment,
            "key": group.key,
            "result": group.done,
            "commands": group.commands,
        })
    });
    json!({
        "items": environments.chain(items).collect::<Vec<_>>(),
        "changeSets": change_sets(filed),
        "diff": filed.applied.iter().flat_map(|it| &it.diff).collect::<Vec<_>>(),
        "warnings": filed.applied.iter().flat_map(|it| &it.warnings).collect::<Vec<_>>(),
    })
}

/// As they are posted to `/requests` and `/changes`.
fn change_sets(filed: &Filed) -> Vec<serde_json::Value> {
    let sets = filed.plan.change_sets().into_iter().zip(&filed.applied);
    let sets = sets.map(|(commands, answer)| {
        json!({"commands": commands, "base": filed.base, "needs": answer.needs})
    });
    sets.collect()
}

fn print(filed: &Filed) {
    let (environments, groups) = (&filed.plan.environments, &filed.plan.groups);
    for it in environments.iter().filter(|it| it.act().is_some()) {
        println!("environment {}: {}", it.wanted.key, word(it.done));
    }
    for group in groups.iter().filter(|it| !it.commands.is_empty()) {
        let place = group.environment.as_ref().map(|it| format!("{it}/"));
        let place = place.unwrap_or_default();
        println!("{} {place}{}: {}", group.kind, group.key, word(group.done));
    }
    let sets = filed.plan.change_sets().len();
    if sets > 1 {
        println!("These are {sets} change sets; in words:");
    }
    for line in filed.applied.iter().flat_map(|it| &it.diff) {
        println!("  {}", line.text);
    }
    for warning in filed.applied.iter().flat_map(|it| &it.warnings) {
        println!("warning: {}", warning.message);
    }
    for needs in missing(filed) {
        println!(
            "approval: {}/{} asks for {}, and {} are missing",
            needs.project, needs.environment, needs.approvals, needs.missing
        );
    }
    let changed = groups.iter().filter(|it| !it.commands.is_empty()).count();
    let settled = environments.iter().filter(|it| it.act().is_some()).count();
    println!(
        "{} to change, {} as they shall be.",
        changed + settled,
        groups.len() + environments.len() - changed - settled
    );
}

/// What environments ask for and have not got, each once.
fn missing(filed: &Filed) -> Vec<&EnvironmentNeeds> {
    let mut seen = BTreeSet::new();
    let needs = filed.applied.iter().flat_map(|it| &it.needs);
    let needs = needs.filter(|it| !it.are_met());
    needs
        .filter(|it| seen.insert((&it.project, &it.environment)))
        .collect()
}

fn word(done: Done) -> &'static str {
    match done {
        Done::Created => "created",
        Done::Updated => "changed",
        Done::Restored => "restored",
        Done::Archived => "archived",
        Done::Unchanged => "unchanged",
    }
}
