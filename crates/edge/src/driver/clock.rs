//! Coarse time: deadlines are counted in ticks, which fit into four bytes.

use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::time::{Duration, Instant};

use mio::unix::SourceFd;
use mio::{Interest, Registry, Token};
use rustix::time::{
    Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags, Timespec, timerfd_create,
    timerfd_settime,
};

/// Wakes its loop at every tick, by a timer of the kernel's that is set once: so no wait needs a
/// timeout, and the time is read once a tick and not at every turn.
pub(super) struct Clock {
    start: Instant,
    tick: Duration,
    timer: OwnedFd,
}

impl Clock {
    /// Starts at tick 0.
    pub(super) fn start(tick: Duration, registry: &Registry, token: Token) -> io::Result<Self> {
        let flags = TimerfdFlags::NONBLOCK | TimerfdFlags::CLOEXEC;
        let timer = timerfd_create(TimerfdClockId::Monotonic, flags)?;
        // A timer of no length would never go off.
        let tick = tick.max(Duration::from_millis(1));
        let every = Timespec::try_from(tick).map_err(io::Error::other)?;
        let times = Itimerspec {
            it_interval: every,
            it_value: every,
        };
        timerfd_settime(&timer, TimerfdTimerFlags::empty(), &times)?;
        registry.register(&mut SourceFd(&timer.as_raw_fd()), token, Interest::READABLE)?;
        Ok(Self {
            start: Instant::now(),
            tick,
            timer,
        })
    }

    /// The tick that it is now. To be called when the loop was woken for it.
    pub(super) fn now(&self) -> u32 {
        // Taking the count of expirations only makes room for the next; how many there were is
        // told by the clock.
        let _ = rustix::io::read(&self.timer, &mut [0; 8]);
        self.ticks(self.start.elapsed(), u128::div_euclid)
    }

    /// How many ticks a deadline is, at least.
    pub(super) fn deadline(&self, length: Duration) -> u32 {
        self.ticks(length, u128::div_ceil)
    }

    fn ticks(&self, length: Duration, divide: fn(u128, u128) -> u128) -> u32 {
        let ticks = divide(length.as_nanos(), self.tick.as_nanos());
        u32::try_from(ticks).unwrap_or(u32::MAX)
    }
}
