//! When things are to happen, whatever the server does.

use super::Micros;

/// Arrivals at a rate that rises evenly from zero and then stays.
#[derive(Debug, Clone)]
pub struct Schedule {
    /// Per microsecond.
    rate: f64,
    /// In microseconds.
    ramp: f64,
    end: f64,
    /// How many there are.
    whole: u64,
    /// When it began.
    start: Micros,
    /// How many have been handed out.
    handed: u64,
}

impl Schedule {
    /// From `start`: `ramp` long rising to `rate` per second, then `stable` long at it.
    pub fn new(start: Micros, rate: f64, ramp: Micros, stable: Micros) -> Self {
        let (rate, ramp, stable) = (rate / 1e6, ramp.0 as f64, stable.0 as f64);
        Self {
            rate,
            ramp,
            end: ramp + stable,
            whole: (rate * (ramp / 2.0 + stable)).round() as u64,
            start,
            handed: 0,
        }
    }

    /// The moment of the next arrival; `None` when the schedule is over.
    pub fn due(&self) -> Option<Micros> {
        let number = self.handed as f64;
        // The ramp has the area of a triangle.
        let in_ramp = self.rate * self.ramp / 2.0;
        let after = if number < in_ramp {
            (2.0 * number * self.ramp / self.rate).sqrt()
        } else {
            self.ramp + (number - in_ramp) / self.rate
        };
        (self.handed < self.whole).then(|| Micros(self.start.0 + after.round() as u64))
    }

    /// The moment of the next arrival if it has come by `now`; that arrival is handed out.
    pub fn next(&mut self, now: Micros) -> Option<Micros> {
        let due = self.due().filter(|due| *due <= now)?;
        self.handed += 1;
        Some(due)
    }

    /// How many have been handed out.
    pub fn handed(&self) -> u64 {
        self.handed
    }

    /// When the ramp ends.
    pub fn stable_from(&self) -> Micros {
        Micros(self.start.0 + self.ramp as u64)
    }

    /// When the last arrival has come.
    pub fn end(&self) -> Micros {
        Micros(self.start.0 + self.end as u64)
    }
}

#[cfg(test)]
mod tests;
