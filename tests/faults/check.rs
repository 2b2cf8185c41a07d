//! The promises, asked of one case that was played.

use crate::common::{answer, followed, value};
use crate::fault::Plan;
use crate::host::{Called, WATCHED, World, reader};
use crate::plain::SHORT;
use crate::play::{Played, play};
use crate::scenario::{Scenario, all};
use crate::store::record_of;
use lastword::driver::{Host, collect};
use lastword::event::View;
use lastword::run::{Cursor, Need, Reply, RunRecord, Status};
use lastword::sse::Frame;
use lastword::wire::Wire;
use std::collections::BTreeMap;

/// What comes of the scenario when nothing goes wrong.
pub struct Sound {
    pub status: Status,
    answer: Option<String>,
    models: usize,
    tools: usize,
    pub calls: usize,
    pub turns: usize,
}

/// How many cases were played, and what came of their runs.
#[derive(Debug, Default)]
pub struct Count {
    pub cases: usize,
    /// Runs by their status; those that never began have none.
    pub ended: BTreeMap<String, usize>,
    /// The cases in which a promise was broken.
    pub broken: Vec<String>,
}

const TERMINALS: [&str; 4] = ["task_completed", "task_cancelled", "task_failed", "approval_requested"];
/// What a request may be refused for.
const REFUSALS: [&str; 5] =
    ["store_unavailable", "run_conflict", "thread_busy", "interrupt_not_open", "interrupt_open"];

impl Scenario {
    pub fn sound(&self) -> Sound {
        let played = play(self, Plan::default());
        let record = record_of(&played.world.kept.store, self.run).unwrap();
        let calls = calls(&played.world, self.run);
        Sound {
            status: record.status,
            answer: answered(&played.world, self.run),
            models: calls.0,
            tools: calls.1,
            calls: played.calls,
            turns: played.turns,
        }
    }
}

/// How often the run called the model, and tools.
fn calls(world: &World, run: &str) -> (usize, usize) {
    let of = |calls: &[Called]| calls.iter().filter(|call| call.run == run).count();
    (of(&world.models), of(&world.tools))
}

fn answered(world: &World, run: &str) -> Option<String> {
    let (view, wire) = WATCHED[0];
    answer(&collect(&world.kept.store, reader(run, view, wire, Some(Cursor::START))).0)
}

/// Plays a case, and holds every promise to it: what was played, or the promise that is broken.
pub fn check(scenario: &Scenario, sound: &Sound, plan: &Plan) -> Result<Played, String> {
    let played = play(scenario, plan.clone());
    let world = &played.world;
    if let Some(broken) = played.broken.iter().chain(&world.kept.broken).next() {
        return Err(broken.clone());
    }
    requests(&played, plan)?;
    runs(world, plan)?;
    let record = record_of(&world.kept.store, scenario.run);
    if plan.passes() {
        let come = (record.as_ref().map(|r| r.status), answered(world, scenario.run), calls(world, scenario.run));
        let due = (Some(sound.status), sound.answer.clone(), (sound.models, sound.tools));
        // Beside other instances, a claim that has taken a lease is not begun: another may have come before.
        let never = scenario.is_shared() && plan.is_slow(scenario.setup("i").lease) && come == (None, None, (0, 0));
        if come != due && !never {
            return Err(format!("{come:?}, and without the fault {due:?}"));
        }
    }
    thread_goes_on(scenario, world, plan)?;
    Ok(played)
}

impl Count {
    /// Plays a case and counts it.
    pub fn play(&mut self, scenario: &Scenario, sound: &Sound, plan: &Plan) -> Option<Played> {
        self.cases += 1;
        let played = match check(scenario, sound, plan) {
            Ok(played) => played,
            Err(broken) => {
                self.broken.push(format!("{}: {plan:?}: {broken}", scenario.name));
                return None;
            }
        };
        let record = record_of(&played.world.kept.store, scenario.run);
        let status = record.map_or("never began".to_owned(), |record| match record.failure {
            Some(failure) => failure.code,
            None => record.status.name().to_owned(),
        });
        *self.ended.entry(status).or_default() += 1;
        Some(played)
    }

    /// Every promise was kept in each of so many cases, and of so many where all scenarios are played.
    pub fn assert(&self, few: usize, many: usize) {
        let some: Vec<&String> = self.broken.iter().take(12).collect();
        assert!(some.is_empty(), "{} of {} cases: {some:#?}", self.broken.len(), self.cases);
        println!("{self:#?}");
        assert_eq!(self.cases, if all() { many } else { few });
    }
}

/// Everybody is answered, once, and with what stands.
fn requests(played: &Played, plan: &Plan) -> Result<(), String> {
    let replies = &played.world.replies;
    for request in &played.asked {
        let count = replies.iter().filter(|(known, _)| known == request).count();
        if count != 1 {
            return Err(format!("request {request} was answered {count} times"));
        }
    }
    let started = replies.iter().filter(|(_, reply)| *reply == Reply::Started).count();
    let runs = ["run-1", "run-2", "run-3", "run-8"].iter();
    let begun = runs.filter(|run| record_of(&played.world.kept.store, run).is_some()).count();
    if started > begun {
        return Err(format!("{started} were told that they began a run, of {begun}"));
    }
    for (_, reply) in replies {
        match reply {
            // A turn that is waited for, and a store that says that it is not there.
            Reply::Refused(error) if error.code() == "record_unreadable" && !plan.is_honest() => {}
            Reply::Refused(error) if !REFUSALS.contains(&error.code()) => return Err(format!("refused: {error:?}")),
            Reply::Ended(Status::Started) if plan.is_honest() && plan.deaths.is_empty() => {
                return Err("told that a run has ended that had not".into());
            }
            _ => {}
        }
    }
    Ok(())
}

/// Each run has one writer that executes, and one end.
fn runs(world: &World, plan: &Plan) -> Result<(), String> {
    for run in ["run-1", "run-2", "run-3", "run-8", "run-9"] {
        let of = |calls: &[Called]| -> Vec<Called> { calls.iter().filter(|call| call.run == run).cloned().collect() };
        let (models, mut tools) = (of(&world.models), of(&world.tools));
        let mut instances: Vec<&str> = models.iter().chain(&tools).map(|call| call.instance.as_str()).collect();
        instances.sort_unstable();
        instances.dedup();
        if instances.len() > 1 {
            return Err(format!("{run} was executed by {instances:?}"));
        }
        let count = tools.len();
        tools.sort();
        tools.dedup();
        if tools.len() < count {
            return Err(format!("{run} ran a tool twice"));
        }
        let Some(record) = record_of(&world.kept.store, run) else {
            if !models.is_empty() || !tools.is_empty() {
                return Err(format!("{run} was executed and has no record"));
            }
            continue;
        };
        if run != world.scenario.run && world.scenario.store.value(&crate::store::head_of(run)).is_some() {
            continue;
        }
        // A store that broke its word may have hidden the run from all who would have sealed it.
        if !record.is_ended() {
            if may_hide(plan) {
                continue;
            }
            return Err(format!("{run} is open for ever"));
        }
        let whole = ended(world, run, &record, &tools)?;
        if run == world.scenario.run {
            readers(world, &whole)?;
        }
    }
    Ok(())
}

fn may_hide(plan: &Plan) -> bool {
    !plan.is_honest()
}

/// The journal of a run that has ended: dense, one terminal, which is last, and the head's own.
fn ended(world: &World, run: &str, record: &RunRecord, tools: &[Called]) -> Result<Vec<Vec<Frame>>, String> {
    let mut whole = Vec::new();
    let mut seqs: Vec<u64> = Vec::new();
    for (view, wire) in &WATCHED {
        let (frames, need) = collect(&world.kept.store, reader(run, *view, *wire, Some(Cursor::START)));
        if need != Need::End {
            return Err(format!("a reader of {run} comes to {need:?}"));
        }
        if *wire == Wire::AgUi {
            whole.push(frames);
            continue;
        }
        let of: Vec<u64> =
            frames.iter().map(|frame| frame.id.as_ref().unwrap().split('.').next().unwrap().parse().unwrap()).collect();
        if !of.is_sorted() {
            return Err(format!("{run}: {of:?}"));
        }
        seqs.extend(of);
        let is = |frame: &Frame, kind: &str| frame.data.starts_with(&format!("{{\"type\":\"{kind}\""));
        let ends: Vec<usize> =
            (0..frames.len()).filter(|at| TERMINALS.iter().any(|kind| is(&frames[*at], kind))).collect();
        if ends != [frames.len() - 1] {
            return Err(format!("{run} has ends at {ends:?} of {}", frames.len()));
        }
        let end = &frames[frames.len() - 1];
        let told = match record.status {
            Status::Succeeded => "task_completed",
            Status::Failed => "task_failed",
            Status::Cancelled => "task_cancelled",
            _ => "approval_requested",
        };
        if !is(end, told) {
            return Err(format!("{run} is {:?} and says {}", record.status, end.data));
        }
        let answers = frames.iter().any(|frame| is(frame, "content"));
        if answers && record.status != Status::Succeeded && record.withdrawn.is_none() {
            return Err(format!("{run} is {:?} and has an answer", record.status));
        }
        if *view == View::Operator {
            effects(run, &frames, tools)?;
        }
        whole.push(frames);
    }
    seqs.sort_unstable();
    seqs.dedup();
    if !seqs.iter().copied().eq(1..=record.sequence) {
        return Err(format!("{run} has {seqs:?} of {}", record.sequence));
    }
    Ok(whole)
}

/// Each tool that ran has an end, or is named as one whose effect is unknown.
fn effects(run: &str, frames: &[Frame], tools: &[Called]) -> Result<(), String> {
    if tools.is_empty() {
        return Ok(());
    }
    let frames: Vec<_> = frames.iter().map(value).collect();
    let end = &frames[frames.len() - 1];
    for tool in tools {
        let outcome = frames.iter().find(|frame| frame["type"] == "tool_end" && frame["call"] == *tool.name);
        let Some(outcome) = outcome.map(|frame| frame["outcome"].as_str().unwrap()) else {
            return Err(format!("{run}: {} has no end", tool.name));
        };
        let named = end["unknown"].as_array().is_some_and(|unknown| unknown.iter().any(|call| *call == tool.name));
        if named != (outcome == "unknown" && end["type"] == "task_failed") {
            return Err(format!("{run}: {} ended {outcome}, named as unknown: {named}", tool.name));
        }
    }
    Ok(())
}

/// Whatever a reader had is what every reader has, and he comes to the end.
fn readers(world: &World, whole: &[Vec<Frame>]) -> Result<(), String> {
    let run = world.scenario.run;
    for (watcher, whole) in world.watchers.iter().zip(whole) {
        let (view, wire) = (watcher.view, watcher.wire);
        if !whole.starts_with(&watcher.seen) {
            return Err(format!("{view:?} on {wire:?} saw what nobody sees after"));
        }
        if whole.len() == watcher.seen.len() {
            continue;
        }
        let id = watcher.seen.last().and_then(|frame| frame.id.as_deref());
        let cursor = id.map_or(Cursor::START, |id| Cursor::parse(id).unwrap());
        let (rest, need) = collect(&world.kept.store, reader(run, view, wire, Some(cursor)));
        if need != Need::End || whole[watcher.seen.len()..] != rest[..] {
            return Err(format!("{view:?} on {wire:?} comes back at {cursor} to another rest"));
        }
    }
    let (joined, need) = collect(&world.kept.store, reader(run, WATCHED[0].0, WATCHED[0].1, None));
    if need != Need::End || joined.len() < 3 {
        return Err(format!("whoever joins comes to {need:?}"));
    }
    Ok(())
}

/// Another run can be had in the thread, once what is open there is answered; and who follows the thread is
/// told of each run.
fn thread_goes_on(scenario: &Scenario, world: &World, plan: &Plan) -> Result<(), String> {
    let brief = Scenario { script: SHORT, ..scenario.clone() };
    let mut driver = brief.driver_of("last", world.kept.store.clone(), world.now);
    driver.post(1, scenario.another("run-z", None));
    driver.drive();
    let mut reply = driver.host.replies.pop();
    let is_busy = matches!(&reply, Some((_, Reply::Refused(error))) if error.code() == "thread_busy");
    if is_busy && scenario.is_shared() {
        // A run that was admitted and has not begun may yet begin elsewhere, for as long as a lease.
        let lease = scenario.setup("last").lease;
        driver.host.wait_until(world.now + lease + 1);
        driver.post(1, scenario.another("run-z", None));
        driver.drive();
        reply = driver.host.replies.pop();
    }
    if matches!(&reply, Some((_, Reply::Refused(error))) if error.code() == "interrupt_open") {
        let mut runs = ["run-1", "run-2", "run-3", "run-8", "run-9"].into_iter();
        let open = |run: &&str| record_of(&driver.host.store, run).is_some_and(|r| r.status == Status::Interrupted);
        let last = runs.rfind(open);
        driver.post(2, scenario.another("run-y", last));
        driver.drive();
        reply = driver.host.replies.pop();
    }
    if !matches!(reply, Some((_, Reply::Started))) {
        return Err(format!("the thread takes no other run: {reply:?}"));
    }
    if driver.host.alarm.is_some() {
        return Err("the alarm of another run stays set".into());
    }
    let followed = followed(&driver.host.store);
    let runs = ["run-1", "run-2", "run-3", "run-8", "run-9", "run-y", "run-z"];
    let headed: Vec<&str> = runs.into_iter().filter(|run| record_of(&driver.host.store, run).is_some()).collect();
    let mut told = followed.clone();
    told.sort_unstable();
    let listed = told.iter().map(String::as_str).eq(headed.iter().copied());
    // Two instances at once, or a store that hides a head, and a run may not have its place in the thread.
    if plan.is_honest() && !listed {
        return Err(format!("who follows is told of {followed:?}, and there are {headed:?}"));
    }
    Ok(())
}
