//! Differences of a flag in all environments.

use burgee_eval::flag::Variation;

use super::words::{gained, quoted, some, variation};
use super::{Parts, Subject, Writer, about};
use crate::model::Flag;
use crate::outcome::FlagEdit;

pub(super) fn write(writer: &mut Writer<'_>, edit: &FlagEdit) {
    let project = writer.project_key(&edit.project);
    let key = edit.after.key.to_string();
    let subject = Subject {
        prefix: format!("{project}: {key}"),
        params: vec![("project", project), ("flag", key)],
    };
    let Some(before) = &edit.before else {
        return created(writer, &subject, &edit.after);
    };
    let (was, is) = (before.into(), (&edit.after).into());
    about::write(writer, &subject, &about::FLAG, was, is);
    variations(writer, &subject, before, &edit.after);
}

fn created(writer: &mut Writer<'_>, subject: &Subject, flag: &Flag) {
    let values: Vec<String> = flag.variations.iter().map(|it| quoted(&it.value)).collect();
    let plain: Vec<&str> = flag.variations.iter().map(|it| it.value.as_str()).collect();
    let (kind, values) = (flag.kind.as_str(), some(&values));
    let text = format!("made, a {kind} flag with the variations {values}");
    writer.line_of(
        subject,
        "flagCreated",
        &[("type", kind), ("variations", &values)],
        &Parts::list(&plain),
        &text,
    );
}

fn variations(writer: &mut Writer<'_>, subject: &Subject, before: &Flag, after: &Flag) {
    let find = |flag: &'_ Flag, id: &str| -> Option<Variation> {
        flag.variations.iter().find(|it| it.id == id).cloned()
    };
    for old in &before.variations {
        match find(after, &old.id) {
            Some(new) => changed(writer, subject, old, &new),
            None => {
                let name = variation(&old.id, &before.variations);
                let params = [("variation", name.as_str())];
                let text = format!("variation {name} removed");
                let parts = Parts::default().of_variation(&old.id, &before.variations);
                writer.line_of(subject, "variationRemoved", &params, &parts, &text);
            }
        }
    }
    for new in after
        .variations
        .iter()
        .filter(|it| find(before, &it.id).is_none())
    {
        let name = variation(&new.id, &after.variations);
        let params = [("variation", name.as_str()), ("value", new.value.as_str())];
        let text = format!(
            "variation {name} added with the value {}",
            quoted(&new.value)
        );
        let parts = Parts::default().of_variation(&new.id, &after.variations);
        writer.line_of(subject, "variationAdded", &params, &parts, &text);
    }
    let ids =
        |flag: &Flag| -> Vec<String> { flag.variations.iter().map(|it| it.id.clone()).collect() };
    let (old, new) = (ids(before), ids(after));
    if old != new && gained(&old, &new).is_empty() && gained(&new, &old).is_empty() {
        writer.line(
            subject,
            "variationsReordered",
            &[],
            "variations put in another order",
        );
    }
}

fn changed(writer: &mut Writer<'_>, subject: &Subject, old: &Variation, new: &Variation) {
    let name = quoted(old.name.as_ref().unwrap_or(&old.value));
    if old.value != new.value {
        let params = [
            ("variation", name.as_str()),
            ("from", old.value.as_str()),
            ("to", new.value.as_str()),
        ];
        let (from, to) = (quoted(&old.value), quoted(&new.value));
        let text = format!("variation {name} changed from {from} to {to}");
        let parts = Parts::default().of_variation(&old.id, std::slice::from_ref(old));
        writer.line_of(subject, "variationChanged", &params, &parts, &text);
    }
    if old.name != new.name {
        let to = new.name.clone().unwrap_or_default();
        let params = [("variation", name.as_str()), ("to", to.as_str())];
        let text = match new.name {
            Some(_) => format!("variation {name} named {}", quoted(&to)),
            None => format!("variation {name} without a name"),
        };
        let parts = Parts::default().of_variation(&old.id, std::slice::from_ref(old));
        writer.line_of(subject, "variationNamed", &params, &parts, &text);
    }
}
