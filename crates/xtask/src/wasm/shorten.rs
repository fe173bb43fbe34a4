//! Gives the imports of a module short names. Those of wasm-bindgen end in a hash of 16 digits, in the module and in the
//! script, which no compression makes smaller.

use anyhow::{Context, Result, bail};

/// Length of the header of a module: its magic number and version.
const HEADER: usize = 8;

/// Number of the section of imports.
const IMPORTS: u8 = 2;

/// Returns the module and its script with short names.
pub(crate) fn imports(module: &[u8], script: &str) -> Result<(Vec<u8>, String)> {
    let mut rest = Reader { bytes: module, at: HEADER };
    let mut short = module.get(..HEADER).context("not a module")?.to_vec();
    let mut names = Vec::new();
    while rest.at < module.len() {
        let start = rest.at;
        let (id, length) = (rest.byte()?, rest.number()?);
        let content = rest.take(length)?;
        if id == IMPORTS {
            let content = section(content, &mut names)?;
            short.push(id);
            put(&mut short, content.len());
            short.extend(content);
        } else {
            short.extend(&module[start..rest.at]);
        }
    }
    // A name that begins with another one is replaced first.
    names.sort_by_key(|(name, _): &(String, String)| std::cmp::Reverse(name.len()));
    let mut renamed = script.to_owned();
    for (name, short) in names {
        if !renamed.contains(&name) {
            bail!("the script does not have the import `{name}`");
        }
        renamed = renamed.replace(&name, &short);
    }
    Ok((short, renamed))
}

/// Returns the content of the section with short names, and notes each name with its short one.
fn section(content: &[u8], names: &mut Vec<(String, String)>) -> Result<Vec<u8>> {
    let mut rest = Reader { bytes: content, at: 0 };
    let count = rest.number()?;
    let mut short = Vec::with_capacity(content.len());
    put(&mut short, count);
    for number in 0..count {
        let length = rest.number()?;
        let module = rest.take(length)?;
        let length = rest.number()?;
        let name = std::str::from_utf8(rest.take(length)?)?.to_owned();
        let start = rest.at;
        match rest.byte()? {
            // A function, with the number of its type.
            0 => drop(rest.number()?),
            kind => bail!("the import `{name}` is of the kind {kind}, which is not known here"),
        }
        let new = format!("i{number:x}");
        for text in [module, new.as_bytes()] {
            put(&mut short, text.len());
            short.extend(text);
        }
        short.extend(&content[start..rest.at]);
        names.push((name, new));
    }
    Ok(short)
}

/// Reads the binary form of a module.
struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    fn byte(&mut self) -> Result<u8> {
        let byte = *self.bytes.get(self.at).context("the module ends too early")?;
        self.at += 1;
        Ok(byte)
    }

    /// Reads a number in groups of seven bits, the lowest first.
    fn number(&mut self) -> Result<usize> {
        let mut number = 0;
        for shift in (0..35).step_by(7) {
            let byte = self.byte()?;
            number |= usize::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Ok(number);
            }
        }
        bail!("the module has a number that is too long")
    }

    fn take(&mut self, length: usize) -> Result<&'a [u8]> {
        let taken = self.bytes.get(self.at..self.at + length).context("the module ends too early")?;
        self.at += length;
        Ok(taken)
    }
}

fn put(bytes: &mut Vec<u8>, mut number: usize) {
    loop {
        // Seven bits fit.
        let group = u8::try_from(number & 0x7f).unwrap_or_default();
        number >>= 7;
        bytes.push(if number == 0 { group } else { group | 0x80 });
        if number == 0 {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a module with two imports and a custom section of 200 bytes.
    fn module() -> Vec<u8> {
        let mut imports = vec![2];
        for name in ["__wbg_get_0123456789abcdef", "__wbg_get_0123456789abcdef2"] {
            for text in ["./x_bg.js", name] {
                put(&mut imports, text.len());
                imports.extend(text.as_bytes());
            }
            imports.extend([0, 7]);
        }
        let mut module = b"\0asm\x01\0\0\0".to_vec();
        module.push(IMPORTS);
        put(&mut module, imports.len());
        module.extend(imports);
        module.push(0);
        put(&mut module, 200);
        module.extend([1; 200]);
        module
    }

    #[test]
    fn module_and_script_have_the_same_short_names() {
        let script = "a = { __wbg_get_0123456789abcdef: one, __wbg_get_0123456789abcdef2: two }";
        let (short, script) = imports(&module(), script).expect("a module");
        assert_eq!(script, "a = { i0: one, i1: two }");
        assert!(short.ends_with(&[1; 200]));
        let text = String::from_utf8_lossy(&short);
        assert!(!text.contains("__wbg") && text.contains("\u{9}./x_bg.js\u{2}i0\0"), "{text:?}");
        let again = imports(&short, &script).expect("still a module");
        assert_eq!(again.0, short);
    }

    #[test]
    fn a_module_that_is_not_understood_is_refused() {
        assert!(imports(&module(), "a = { __wbg_get_0123456789abcdef2: two }").is_err());
        assert!(imports(&module()[..40], "").is_err());
        assert!(imports(b"\0asm", "").is_err());
    }
}
