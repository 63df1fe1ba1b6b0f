//! What no database could hold: it is left out, and counted, before a statement is made of it.

use super::{Count, Decision, Exposure, MetricEvent, UserSeen};

/// Whether both databases could hold a row's values at all.
pub(super) trait Storable {
    fn is_storable(&self) -> bool;
}

fn without_nul(texts: &[&str]) -> bool {
    texts.iter().all(|text| !text.contains('\0'))
}

impl Storable for UserSeen<'_> {
    fn is_storable(&self) -> bool {
        let properties = self.properties.iter();
        without_nul(&[&self.environment, &self.key, &self.name, &self.types])
            && properties
                .flat_map(|(name, value)| [name, value])
                .all(|text| !text.contains('\0'))
    }
}

impl Storable for Count<'_> {
    fn is_storable(&self) -> bool {
        let texts = [
            &self.environment,
            &self.flag,
            &self.flag_id,
            &self.variation,
        ];
        without_nul(&texts.map(|text| &**text)) && i64::try_from(self.count).is_ok()
    }
}

impl Storable for Exposure<'_> {
    fn is_storable(&self) -> bool {
        let texts = [&self.flag, &self.flag_id, &self.variation, &self.user];
        without_nul(&texts.map(|text| &**text)) && without_nul(&[&self.environment])
    }
}

impl Storable for MetricEvent<'_> {
    fn is_storable(&self) -> bool {
        let texts = [&self.environment, &self.user, &self.event, &self.route];
        without_nul(&texts.map(|text| &**text))
            && without_nul(&[&self.kind, &self.app_type])
            && self.value.is_finite()
    }
}

impl Storable for Decision<'_> {
    fn is_storable(&self) -> bool {
        let texts = [&self.user, &self.flag, &self.flag_id, &self.variation];
        let others = [&self.reason, &self.rule].into_iter().flatten();
        without_nul(&texts.map(|text| &**text))
            && without_nul(&[&self.environment, &self.surface])
            && others.into_iter().all(|text| !text.contains('\0'))
    }
}
