//! What surrounds a measurement: the machine, its limits, the processes under test.

pub mod cgroup;
pub mod counters;
pub mod limits;
mod machine;
pub mod measure;
pub(crate) mod nats;
pub(crate) mod node;
pub mod pin;
pub(crate) mod postgres;
pub mod process;
pub mod server;
pub mod suite;
pub mod usage;
