//! What surrounds a measurement: the machine, its limits, the processes under test.

pub mod usage;
