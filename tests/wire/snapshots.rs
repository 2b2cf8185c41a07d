//! What each event becomes on each wire, for eyes and for ever.

use crate::samples::{AT, KINDS, context, echo, every_event, kind, modern, older, sample_run};
use insta::assert_snapshot;
use lastword::event::{Event, View};
use lastword::profile::Profile;
use lastword::wire::Wire;
use lastword::wire::agui::Prelude;
use lastword::{Error, ErrorKind};
use std::collections::BTreeSet;

/// A line for the kind, then its frames.
fn page(wire: Wire, profile: &Profile) -> String {
    let mut page = String::new();
    for (event, seq) in every_event().iter().zip(1..) {
        page.push_str(&format!("# {}\n", kind(event)));
        for frame in wire.frames(&context(profile), seq, AT + seq, event).unwrap() {
            page.push_str(&frame);
            page.push('\n');
        }
    }
    page
}

#[test]
fn the_samples_have_every_kind() {
    let kinds: BTreeSet<_> = every_event().iter().map(kind).collect();
    assert_eq!(kinds.len(), KINDS);
}

#[test]
fn every_event_on_the_canonical_wire() {
    assert_snapshot!(page(Wire::Canonical, &modern()));
}

#[test]
fn every_event_on_agui_for_a_client_of_1_0() {
    assert_snapshot!(page(Wire::AgUi, &modern()));
}

#[test]
fn every_event_on_agui_for_an_older_client() {
    assert_snapshot!(page(Wire::AgUi, &older()));
}

#[test]
fn the_canonical_wire_does_not_depend_on_the_clients_version() {
    assert_eq!(page(Wire::Canonical, &modern()), page(Wire::Canonical, &older()));
}

#[test]
fn the_prelude_at_every_cut_of_a_run() {
    let profile = modern();
    let mut prelude = Prelude::new(&echo());
    let mut page = String::new();
    for (event, seq) in sample_run().iter().zip(1..) {
        if event.is_terminal() {
            break;
        }
        prelude.fold(event);
        if View::Customer.sees(event.audience()) {
            page.push_str(&format!("# cut {seq}, after {}\n", kind(event)));
            for frame in prelude.frames(&context(&profile)).unwrap() {
                page.push_str(&frame);
                page.push('\n');
            }
        }
    }
    assert_snapshot!(page);
}

#[test]
fn a_readers_failure_on_each_wire() {
    let profile = modern();
    let cx = context(&profile);
    let errors = [ErrorKind::StreamInterrupted.into(), Error::with(ErrorKind::BadCursor, "7.x")];
    let lines = errors.iter().flat_map(|error| [Wire::Canonical, Wire::AgUi].map(|wire| wire.failure(&cx, error).data));
    assert_snapshot!(lines.collect::<Vec<_>>().join("\n"));
}

fn set(profile: &mut Profile, wire: Wire, version: Option<u32>) {
    match wire {
        Wire::Canonical => profile.wires.canonical = version,
        Wire::AgUi => profile.wires.ag_ui = version,
        _ => unreachable!("it has memory"),
    }
}

#[test]
fn a_serializer_of_another_version_is_a_typed_error() {
    for (wire, name) in [(Wire::Canonical, "canonical"), (Wire::AgUi, "ag-ui")] {
        assert_eq!(wire.name(), name);
        let mut profile = modern();
        for version in [0, 2, 99] {
            set(&mut profile, wire, Some(version));
            for event in every_event() {
                let error = wire.frames(&context(&profile), 1, AT, &event).unwrap_err();
                assert_eq!(error.kind(), ErrorKind::RecordTooNew);
            }
        }
        set(&mut profile, wire, None);
        assert!(wire.frames(&context(&profile), 1, AT, &every_event()[0]).is_ok(), "frozen before the wire was");
    }
    let mut profile = modern();
    set(&mut profile, Wire::AgUi, Some(2));
    let error = Prelude::new(&echo()).frames(&context(&profile)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::RecordTooNew);
}

#[test]
fn only_agui_has_a_prelude() {
    assert!(Wire::AgUi.has_prelude() && !Wire::Canonical.has_prelude());
}

#[test]
fn the_providers_name_of_the_model_stays_with_the_operator() {
    let profile = modern();
    for wire in [Wire::Canonical, Wire::AgUi] {
        for event in every_event().iter().filter(|event| View::Customer.sees(event.audience())) {
            for frame in wire.frames(&context(&profile), 1, AT, event).unwrap() {
                assert!(!frame.contains("vendor-model"), "{frame}");
            }
        }
    }
}

#[test]
fn an_interrupt_that_asks_nothing_is_an_error() {
    let event = Event::from(lastword::event::Sealed::Interrupted { interrupts: Vec::new(), usage: Vec::new() });
    let error = Wire::AgUi.frames(&context(&modern()), 1, AT, &event).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::RecordUnreadable);
}
