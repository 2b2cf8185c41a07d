//! Any bytes as stored values: no panic, a typed error for what is none, and a head that is read is written and read
//! again as the same. The first byte chooses whether the rest is taken as it is or for a value that says its version.

#![no_main]

use lastword::ErrorKind;
use lastword::run::{IndexEntry, RunRecord, ThreadKeys, decode_segment};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    let [form, rest @ ..] = input else { return };
    let bytes = match form % 3 {
        0 => rest.to_vec(),
        1 => [br#"{"v":1,"#, rest].concat(),
        _ => [br#"{"v":1,"first":1,"at":0,"events":[{"v":1,"audience":"both",""#, rest].concat(),
    };
    let keys = ThreadKeys::new("s", "t").run("r");
    let typed = |kind| assert!(matches!(kind, ErrorKind::RecordUnreadable | ErrorKind::RecordTooNew), "{kind:?}");
    match RunRecord::decode_under(&bytes, &keys) {
        Ok(record) => {
            let again = RunRecord::decode_under(
                &record.encode(),
                &ThreadKeys::new(&record.scope, &record.thread).run(&record.run),
            );
            assert_eq!(again, Ok(record));
        }
        Err(error) => typed(error.kind()),
    }
    match decode_segment(&bytes) {
        Ok(events) => {
            for event in events.iter().filter(|event| event.pieces().is_some()) {
                event.joined(rest).err().into_iter().for_each(|error| typed(error.kind()));
            }
        }
        Err(error) => typed(error.kind()),
    }
    IndexEntry::decode(&bytes).err().into_iter().for_each(|error| typed(error.kind()));
});
