//! Change sets from commands to outcomes.

mod kit;
mod switch;
