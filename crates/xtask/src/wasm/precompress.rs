//! Compresses the web assets once, at build time, with maximum compression.

use std::io::Write;

use anyhow::Result;

/// Encodings, which are also the extensions of the compressed files.
pub(crate) const ENDINGS: [&str; 2] = ["br", "gz"];

const QUALITY: i32 = 11;
/// Largest window that every browser accepts, as a power of two.
const WINDOW: i32 = 22;

/// Compresses the bytes; `None` if that does not save enough for an extra header.
pub(crate) fn squeeze(bytes: &[u8], ending: &str) -> Result<Option<Vec<u8>>> {
    let squeezed = match ending {
        "br" => brotli(bytes)?,
        _ => gzip(bytes)?,
    };
    Ok((squeezed.len() + 64 < bytes.len()).then_some(squeezed))
}

fn brotli(bytes: &[u8]) -> Result<Vec<u8>> {
    let params = brotli::enc::BrotliEncoderParams {
        quality: QUALITY,
        lgwin: WINDOW,
        size_hint: bytes.len(),
        ..Default::default()
    };
    let mut out = Vec::new();
    brotli::BrotliCompress(&mut &*bytes, &mut out, &params)?;
    Ok(out)
}

fn gzip(bytes: &[u8]) -> Result<Vec<u8>> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    encoder.write_all(bytes)?;
    Ok(encoder.finish()?)
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;

    #[test]
    fn what_was_squeezed_comes_out_again() {
        let text = "standing sessions, one after another. ".repeat(50).into_bytes();
        let mut out = Vec::new();
        let gz = squeeze(&text, "gz").expect("gzip").expect("smaller");
        flate2::read::GzDecoder::new(&*gz).read_to_end(&mut out).expect("valid gzip");
        assert_eq!(out, text);

        let mut out = Vec::new();
        let br = squeeze(&text, "br").expect("brotli").expect("smaller");
        brotli::BrotliDecompress(&mut &*br, &mut out).expect("valid brotli");
        assert_eq!(out, text);
    }

    #[test]
    fn what_does_not_shrink_is_left_alone() {
        for ending in ENDINGS {
            assert_eq!(squeeze(b"short", ending).expect("no failure"), None, "{ending}");
        }
    }
}
