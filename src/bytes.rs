//! Finds and compares bytes, eight at a time.

const ONES: u64 = u64::MAX / 255;
const HIGHS: u64 = ONES << 7;

/// Where the first line feed or carriage return stands.
pub(crate) fn line_end(bytes: &[u8]) -> Option<usize> {
    // Of what is below both, and one beyond, there is little in a text but themselves.
    first(bytes, |eight| below(eight, b'\r' + 1), |eight| equal(eight, b'\n') | equal(eight, b'\r'))
}

/// Where the first such byte stands.
pub(crate) fn find(bytes: &[u8], byte: u8) -> Option<usize> {
    first(bytes, |eight| equal(eight, byte), |eight| equal(eight, byte))
}

/// Where the first byte stands that can't be inside of a JSON string as it is: a quote, a backslash, a control
/// character.
pub(crate) fn unquoted(bytes: &[u8]) -> Option<usize> {
    let marks = |eight| equal(eight, b'"') | equal(eight, b'\\') | below(eight, b' ');
    first(bytes, marks, marks)
}

/// The same, and the first byte of U+2028, among others.
pub(crate) fn special(bytes: &[u8]) -> Option<usize> {
    let marks = |eight| equal(eight, b'"') | equal(eight, b'\\') | below(eight, b' ') | equal(eight, 0xE2);
    first(bytes, marks, marks)
}

/// What is behind that beginning, if it is there. To compare a few bytes this way costs less than a call.
#[inline]
pub(crate) fn behind<'a>(bytes: &'a [u8], beginning: &[u8]) -> Option<&'a [u8]> {
    let (head, rest) = bytes.split_at_checked(beginning.len())?;
    let ((ours, our_rest), (theirs, their_rest)) = (head.as_chunks::<8>(), beginning.as_chunks::<8>());
    let differs = |(one, other): (&[u8; 8], &[u8; 8])| u64::from_le_bytes(*one) != u64::from_le_bytes(*other);
    if ours.iter().zip(theirs).any(differs) {
        return None;
    }
    our_rest.iter().zip(their_rest).all(|(one, other)| one == other).then_some(rest)
}

/// The place of the first byte that is marked. Of the marks of eight bytes, their highest bits, the lowest is right; where
/// nothing is marked roughly, nothing is.
#[inline(always)]
fn first(bytes: &[u8], roughly: impl Fn(u64) -> u64, marks: impl Fn(u64) -> u64) -> Option<usize> {
    let (blocks, _) = bytes.as_chunks::<32>();
    let is_free = |block: &&[u8; 32]| {
        let (eights, _) = block.as_chunks::<8>();
        eights.iter().fold(0, |all, eight| all | roughly(u64::from_le_bytes(*eight))) == 0
    };
    let free = 32 * blocks.iter().take_while(is_free).count();
    let (eights, rest) = bytes.get(free..).unwrap_or_default().as_chunks::<8>();
    for (eight, at) in eights.iter().zip((free..).step_by(8)) {
        let marks = marks(u64::from_le_bytes(*eight));
        if marks != 0 {
            return Some(at + (marks.trailing_zeros() >> 3) as usize);
        }
    }
    let last = rest.iter().rev().fold(ONES * u64::from(b'a'), |eight, byte| eight << 8 | u64::from(*byte));
    let marked = (marks(last).trailing_zeros() >> 3) as usize;
    (marked < rest.len()).then_some(bytes.len() - rest.len() + marked)
}

/// Marks the bytes that are this one. Behind the first right mark there may be wrong ones.
#[inline(always)]
fn equal(eight: u64, byte: u8) -> u64 {
    below(eight ^ (ONES * u64::from(byte)), 1)
}

/// Marks the bytes below a bound that is ASCII. Behind the first right mark there may be wrong ones.
#[inline(always)]
fn below(eight: u64, bound: u8) -> u64 {
    eight.wrapping_sub(ONES * u64::from(bound)) & !eight & HIGHS
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::*;
    use proptest::collection::vec;
    use proptest::prelude::*;

    fn is_special(byte: u8) -> bool {
        is_unquoted(byte) || byte == 0xE2
    }

    fn is_unquoted(byte: u8) -> bool {
        byte < b' ' || byte == b'"' || byte == b'\\'
    }

    /// Mostly bytes that nobody looks for, and their neighbours.
    fn bytes() -> impl Strategy<Value = Vec<u8>> {
        let near = b"\n\r\x0b\x0c\x0e\x00\x1f !\"#[\\]\x7f\x80\x8a\x8d\xa2\xe1\xe2\xe3\xff".to_vec();
        vec(prop_oneof![6 => Just(b'x'), 1 => proptest::sample::select(near), 1 => any::<u8>()], 0..40)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4000))]

        #[test]
        fn finds_what_a_loop_finds(bytes in bytes(), byte: u8) {
            let first = |is: &dyn Fn(u8) -> bool| bytes.iter().position(|byte| is(*byte));
            prop_assert_eq!(line_end(&bytes), first(&|byte| byte == b'\n' || byte == b'\r'));
            prop_assert_eq!(unquoted(&bytes), first(&is_unquoted));
            prop_assert_eq!(special(&bytes), first(&is_special));
            prop_assert_eq!(find(&bytes, byte), first(&|other| other == byte));
        }

        #[test]
        fn compares_as_slices_do(bytes in bytes(), length in 0usize..40, change in proptest::option::of((0usize..40, any::<u8>()))) {
            let mut beginning = bytes.get(..length).unwrap_or(&bytes).to_vec();
            if let Some((at, byte)) = change && let Some(place) = beginning.get_mut(at) {
                *place = byte;
            }
            prop_assert_eq!(behind(&bytes, &beginning), bytes.strip_prefix(beginning.as_slice()));
            beginning.push(b'x');
            prop_assert_eq!(behind(&bytes, &beginning), bytes.strip_prefix(beginning.as_slice()));
        }
    }
}
