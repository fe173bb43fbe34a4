//! Imports of one file.

use std::str::FromStr;

use anyhow::{Result, anyhow};
use proc_macro2::{TokenStream, TokenTree};

/// Path within a crate: the segments after `crate`.
pub(super) type ModulePath = Vec<String>;

/// Names that a file imports from its crate, and the modules that it declares.
#[derive(Debug, Default)]
pub(super) struct Imports {
    /// Paths that start with `crate`, `self` or `super`.
    pub(super) paths: Vec<ModulePath>,
    /// Names that a `use` imports from a submodule, each with its path.
    pub(super) names: Vec<(String, ModulePath)>,
    /// Modules for tests only, in files of their own.
    pub(super) test_modules: Vec<String>,
}

/// Parses the file of a module.
pub(super) fn read(text: &str, module: &[String]) -> Result<Imports> {
    let tokens = TokenStream::from_str(text).map_err(|error| anyhow!("{error}"))?;
    let mut imports = Imports::default();
    imports.items(&tokens.into_iter().collect::<Vec<_>>(), module);
    Ok(imports)
}

impl Imports {
    fn items(&mut self, tokens: &[TokenTree], module: &[String]) {
        let mut at = 0;
        while at < tokens.len() {
            let here = &tokens[at..];
            at += match here {
                [TokenTree::Punct(hash), TokenTree::Group(attribute), item @ ..]
                    if hash.as_char() == '#' && attribute.stream().to_string().replace(' ', "") == "cfg(test)" =>
                {
                    let end = end_of_item(item);
                    self.test_modules.extend(declared(&item[..end]));
                    2 + end
                }
                // An inline module.
                [TokenTree::Ident(word), TokenTree::Ident(name), TokenTree::Group(body), ..] if word == "mod" => {
                    self.items(&tokens_of(body), &[module, &[name.to_string()]].concat());
                    3
                }
                [TokenTree::Ident(word), rest @ ..] if word == "use" && !rest.is_empty() => 1 + self.used(rest, module),
                [TokenTree::Ident(word), colons @ ..] if is_relative(word) && are_colons(colons) => {
                    let mut paths = Vec::new();
                    let taken = walk(here, module, Vec::new(), &mut paths);
                    self.paths.extend(paths);
                    taken
                }
                [TokenTree::Group(group), ..] => {
                    self.items(&tokens_of(group), module);
                    1
                }
                _ => 1,
            };
        }
    }

    /// Reads a `use`, without its first word.
    fn used(&mut self, tokens: &[TokenTree], module: &[String]) -> usize {
        let mut paths = Vec::new();
        let base = match tokens {
            [TokenTree::Ident(word), ..] if !is_relative(word) => module.to_vec(),
            _ => Vec::new(),
        };
        let relative = matches!(tokens, [TokenTree::Ident(word), ..] if is_relative(word));
        let taken = walk(tokens, module, base, &mut paths);
        for path in &paths {
            self.names.extend(path.last().map(|name| (name.clone(), path.clone())));
        }
        if relative {
            self.paths.extend(paths);
        }
        taken.max(1)
    }
}

/// Follows a path, which may end in a tree, and returns the number of its tokens.
fn walk(tokens: &[TokenTree], module: &[String], mut path: ModulePath, found: &mut Vec<ModulePath>) -> usize {
    let mut at = 0;
    loop {
        match tokens.get(at) {
            Some(TokenTree::Ident(segment)) => {
                match segment.to_string().as_str() {
                    "crate" => path.clear(),
                    "self" if at == 0 && path.is_empty() => path = module.to_vec(),
                    "self" => {}
                    "super" if at == 0 => path = module[..module.len().saturating_sub(1)].to_vec(),
                    "super" => drop(path.pop()),
                    name => path.push(name.to_owned()),
                }
                at += 1;
                if !are_colons(&tokens[at..]) {
                    break;
                }
                at += 2;
            }
            Some(TokenTree::Group(tree)) if at > 0 => {
                let inner = tokens_of(tree);
                let is_comma = |token: &TokenTree| matches!(token, TokenTree::Punct(mark) if mark.as_char() == ',');
                for branch in inner.split(is_comma).filter(|branch| !branch.is_empty()) {
                    walk(branch, module, path.clone(), found);
                }
                return at + 1;
            }
            _ => break,
        }
    }
    found.push(path);
    at
}

fn tokens_of(group: &proc_macro2::Group) -> Vec<TokenTree> {
    group.stream().into_iter().collect()
}

fn is_relative(word: &proc_macro2::Ident) -> bool {
    word == "crate" || word == "self" || word == "super"
}

fn are_colons(tokens: &[TokenTree]) -> bool {
    let is_colon = |token: &TokenTree| matches!(token, TokenTree::Punct(mark) if mark.as_char() == ':');
    matches!(tokens, [one, other, ..] if is_colon(one) && is_colon(other))
}

/// Returns the number of tokens of an item, up to its body or semicolon.
fn end_of_item(tokens: &[TokenTree]) -> usize {
    let ends = |token: &TokenTree| match token {
        TokenTree::Punct(mark) => mark.as_char() == ';',
        TokenTree::Group(group) => group.delimiter() == proc_macro2::Delimiter::Brace,
        _ => false,
    };
    // A `use` has braces before its semicolon.
    let is_use = tokens.iter().take(4).any(|token| matches!(token, TokenTree::Ident(word) if word == "use"));
    let end = if is_use {
        tokens.iter().position(|token| matches!(token, TokenTree::Punct(mark) if mark.as_char() == ';'))
    } else {
        tokens.iter().position(ends)
    };
    end.map_or(tokens.len(), |end| end + 1)
}

/// Returns the name of a module with its own file: `mod name;`.
fn declared(tokens: &[TokenTree]) -> Option<String> {
    let words: Vec<String> = tokens.iter().map(ToString::to_string).collect();
    let at = words.iter().position(|word| word == "mod")?;
    (words.get(at + 2)? == ";").then(|| words[at + 1].clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths(text: &str) -> Vec<String> {
        let module = ["a", "b"].map(str::to_owned);
        let mut paths: Vec<_> = read(text, &module).expect("parsed").paths.iter().map(|path| path.join("::")).collect();
        paths.sort();
        paths
    }

    #[test]
    fn paths_are_found_in_trees_and_in_expressions_and_not_in_tests() {
        let text = "use crate::{c::{self, D}, e::F as G};\nuse super::h;\nfn f() { super::super::i::j(self::k); }\n\
                    #[cfg(test)]\nmod tests { use crate::l; }\n#[cfg(test)]\nuse crate::{m, n};\npub(crate) use o::P;";
        assert_eq!(paths(text), ["a::b::k", "a::h", "c", "c::D", "e::F", "i::j"]);
        assert_eq!(paths("mod x { use super::y; use super::super::z; }"), ["a::b::y", "a::z"]);
    }

    #[test]
    fn a_module_for_tests_and_a_name_from_below_are_told() {
        let imports = read("#[cfg(test)]\nmod cases;\npub use o::{P, Q};", &["a".to_owned()]).expect("parsed");
        assert_eq!(imports.test_modules, ["cases"]);
        let names: Vec<_> = imports.names.iter().map(|(name, path)| (name.as_str(), path.join("::"))).collect();
        assert_eq!(names, [("P", "a::o::P".to_owned()), ("Q", "a::o::Q".to_owned())]);
    }
}
