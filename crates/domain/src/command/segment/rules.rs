//! Rules of a segment.

use crate::change::Draft;
use crate::check::rule;
use crate::command::edit::{Edit, replace, segment_command};
use crate::command::input::SegmentRuleInput;
use crate::command::{References, Target};
use crate::fault::Fault;

segment_command! {
    /// Replaces a segment's rules.
    SetSegmentRules {
        /// All of them; any that holds makes a member.
        rules: Vec<SegmentRuleInput>,
    }
}

impl Edit for SetSegmentRules {
    fn target(&self) -> Target<'_> {
        self.address()
    }

    fn permission(&self) -> &'static str {
        "segment.setRules"
    }

    fn check_shape(&self) -> Result<(), Fault> {
        rule::check_segment_rules(&self.rules, "/rules")
    }

    fn refer(&self, references: &mut References) {
        references.add_segment_rules(&self.rules);
    }

    fn apply(&self, draft: &mut Draft<'_>) -> Result<bool, Fault> {
        let kept = draft.live_segment_mut(self.target())?.rules.clone();
        let rules = rule::segment_rules(&self.rules, &kept, draft, "/rules")?;
        let segment = draft.live_segment_mut(self.target())?;
        Ok(replace(&mut segment.rules, rules))
    }
}
