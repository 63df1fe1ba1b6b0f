//! Turning a flag on and off.

use crate::change::Draft;
use crate::command::Target;
use crate::command::edit::{Edit, replace, targeting_command};
use crate::fault::Fault;

targeting_command! {
    /// Turns a flag on in an environment.
    TurnOn {}
}

targeting_command! {
    /// Turns a flag off in an environment: everybody gets the off variation.
    TurnOff {}
}

impl Edit for TurnOn {
    fn target(&self) -> Target<'_> {
        self.address()
    }

    fn permission(&self) -> &'static str {
        "flag.turnOn"
    }

    fn apply(&self, draft: &mut Draft<'_>) -> Result<bool, Fault> {
        switch(self.target(), true, draft)
    }
}

impl Edit for TurnOff {
    fn target(&self) -> Target<'_> {
        self.address()
    }

    fn permission(&self) -> &'static str {
        "flag.turnOff"
    }

    fn apply(&self, draft: &mut Draft<'_>) -> Result<bool, Fault> {
        switch(self.target(), false, draft)
    }
}

fn switch(target: Target<'_>, on: bool, draft: &mut Draft<'_>) -> Result<bool, Fault> {
    let (place, released) = draft.release(target)?;
    let (_, targeting) = draft.at(&place)?;
    Ok(replace(&mut targeting.is_enabled, on) | released)
}
