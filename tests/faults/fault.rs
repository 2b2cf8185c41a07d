//! What can go wrong, as values.

use lastword::run::StoreOp;

/// How one operation of the store goes wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Surely not done: unavailable.
    Away,
    /// Not done, and nobody knows.
    Lost,
    /// Done, and nobody knows.
    Written,
    /// Nobody knows; it is done so many operations later, after others, if it still can be.
    Late(usize),
    /// A conflict that is none.
    Denied,
    /// Done and answered, so many milliseconds later.
    Slow(u64),
    /// A load that finds the value of so many saves ago, or nothing if there was none then.
    Stale(usize),
    /// A load that finds nothing, whatever is there.
    Gone,
    /// Before it is done another instance comes, and does this.
    Rival(Rival),
}

/// What another instance does, though there should be none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rival {
    /// It is asked for the same run, and plays it to its end if it may.
    Same,
    /// It looks whether the run must be sealed.
    Seal,
    /// It is asked for another run in the thread.
    Other,
    /// It is told to cancel the run.
    Cancel,
}

impl Fault {
    /// Every fault that an operation can have, each with how many operations it lasts for.
    pub fn of(op: &Op) -> Vec<(Fault, usize)> {
        let mut faults = vec![];
        for lasting in [1, 8, 9, 40] {
            faults.push((Fault::Away, lasting));
            if !op.load {
                faults.extend([(Fault::Lost, lasting), (Fault::Written, lasting), (Fault::Denied, lasting)]);
            }
        }
        match op.load {
            true => {
                faults.extend([1, 2].map(|back| (Fault::Stale(back), 1)));
                faults.extend([1, 4].map(|lasting| (Fault::Gone, lasting)));
            }
            false => faults.extend([0, 2].map(|later| (Fault::Late(later), 1))),
        }
        faults.extend([31_000, 61_000, 901_000].map(|late| (Fault::Slow(late), 1)));
        faults.extend([Rival::Same, Rival::Seal, Rival::Other, Rival::Cancel].map(|rival| (Fault::Rival(rival), 1)));
        faults
    }

    /// True for those that a sound store shows now and then, and long enough to tell what comes of them.
    pub fn is_common(&(fault, lasting): &(Fault, usize)) -> bool {
        match fault {
            Fault::Away => lasting == 1 || lasting == 9,
            Fault::Lost | Fault::Written => lasting == 1,
            Fault::Late(later) => later == 2,
            Fault::Slow(late) => late == 31_000,
            _ => false,
        }
    }

    /// True if a store that keeps its word may do so, however short the time.
    pub fn is_honest(self) -> bool {
        !matches!(self, Fault::Stale(_) | Fault::Gone | Fault::Rival(_))
    }

    /// True if the outcome must be what it is without the fault.
    pub fn passes(self, lasting: usize) -> bool {
        match self {
            Fault::Away => lasting <= 8,
            Fault::Lost | Fault::Written | Fault::Denied => lasting <= 2,
            Fault::Late(_) => true,
            Fault::Slow(late) => late <= 31_000,
            _ => false,
        }
    }
}

/// An operation as it was asked for: when, and what.
#[derive(Clone, Debug)]
pub struct Op {
    pub turn: usize,
    pub load: bool,
}

impl Op {
    pub fn of(turn: usize, op: &StoreOp) -> Self {
        Op { turn, load: matches!(op, StoreOp::Load(_)) }
    }
}

/// What goes wrong in one case.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    /// From which operation on, how, and for how many of them.
    pub faults: Vec<(usize, Fault, usize)>,
    /// At which call of the host each instance is lost, one after the other.
    pub deaths: Vec<usize>,
    /// Who comes to the instance after one that was lost.
    pub after: After,
    /// Before which turn the run is cancelled.
    pub cancel: Option<usize>,
    /// Before which turn all readers go.
    pub deserted: Option<usize>,
}

/// Who comes to a new instance.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum After {
    /// Whoever had asked asks again.
    #[default]
    Again,
    /// A reader who waits, at his next heartbeat.
    Heartbeat,
    /// Nobody but the alarm.
    Alarm,
    /// Somebody who asks for another run in the thread.
    Other,
}

impl Plan {
    pub fn fault(op: usize, (fault, lasting): (Fault, usize)) -> Self {
        Plan { faults: vec![(op, fault, lasting)], ..Plan::default() }
    }

    pub fn and(&self, op: usize, (fault, lasting): (Fault, usize)) -> Self {
        let mut plan = self.clone();
        plan.faults.push((op, fault, lasting));
        plan
    }

    pub fn at(&self, op: usize) -> Option<Fault> {
        let struck = |(from, _, lasting): &&(usize, Fault, usize)| (*from..from + lasting).contains(&op);
        self.faults.iter().rev().find(struck).map(|(_, fault, _)| *fault)
    }

    /// True if nothing in it breaks what the store has promised.
    pub fn is_honest(&self) -> bool {
        self.faults.iter().all(|(_, fault, _)| fault.is_honest())
    }

    /// True if an answer of the store comes that late.
    pub fn is_slow(&self, lease: u64) -> bool {
        self.faults.iter().any(|(_, fault, _)| matches!(fault, Fault::Slow(late) if *late >= lease))
    }

    /// True if all comes out as without it.
    pub fn passes(&self) -> bool {
        self.deaths.is_empty()
            && self.cancel.is_none()
            && self.faults.len() <= 1
            && self.faults.iter().all(|(_, fault, lasting)| fault.passes(*lasting))
    }
}
