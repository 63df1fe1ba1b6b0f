//! Tests of the instrument itself, over real sockets.

mod ceiling;
