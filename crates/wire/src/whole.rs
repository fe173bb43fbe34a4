//! Whole numbers in JSON, which may be written with a fraction of zero, as in `5.0`.

use std::fmt;

use serde::{
    Deserializer,
    de::{Error, Unexpected, Visitor},
};

/// Reads a whole number.
///
/// # Errors
///
/// Fails for another type, a fraction, and a number outside of 0 to 4,294,967,295.
pub fn whole<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u32, D::Error> {
    deserializer.deserialize_any(Whole)
}

struct Whole;

impl Visitor<'_> for Whole {
    type Value = u32;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a whole number that is not negative")
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<u32, E> {
        u32::try_from(number).map_err(|_| E::invalid_value(Unexpected::Unsigned(number), &self))
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<u32, E> {
        u32::try_from(number).map_err(|_| E::invalid_value(Unexpected::Signed(number), &self))
    }

    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is whole and in range")]
    fn visit_f64<E: Error>(self, number: f64) -> Result<u32, E> {
        if number.fract() == 0.0 && (0.0..=f64::from(u32::MAX)).contains(&number) {
            return Ok(number as u32);
        }
        Err(E::invalid_value(Unexpected::Float(number), &self))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_whole_number_is_read_however_it_is_written_and_nothing_else() {
        let read = |text: &str| whole(&mut serde_json::Deserializer::from_str(text)).ok();
        assert_eq!((read("5"), read("5.0"), read("5e1"), read("0")), (Some(5), Some(5), Some(50), Some(0)));
        for text in ["5.5", "-1", "-1.0", "4294967296", "1e300", "\"5\"", "true", "null"] {
            assert_eq!(read(text), None, "{text}");
        }
    }
}
