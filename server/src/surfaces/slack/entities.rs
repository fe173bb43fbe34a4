//! Slack's markup: decodes entities of received text into plain text, and escapes plain text for posting.

/// Decodes markup into plain text: `&lt;` is `<`, `<@U1>` is `@U1`, `<https://x|label>` is `label (https://x)`.
pub(super) fn decode(markup: &str) -> String {
    let mut text = String::with_capacity(markup.len());
    let mut rest = markup;
    while let Some(start) = rest.find('<') {
        text.push_str(&unescape(&rest[..start]));
        let inner = &rest[start + 1..];
        let Some(end) = inner.find('>') else {
            // Slack escapes a `<` that is not its own markup. This one did not come from Slack and is kept unchanged.
            text.push('<');
            rest = inner;
            continue;
        };
        text.push_str(&unescape(&reference(&inner[..end])));
        rest = &inner[end + 1..];
    }
    text.push_str(&unescape(rest));
    text
}

/// Decodes the text between `<` and `>`, which is still escaped.
fn reference(inner: &str) -> String {
    let (target, label) = match inner.split_once('|') {
        Some((target, label)) => (target, label),
        None => (inner, ""),
    };
    let named = |sign: char, id: &str| format!("{sign}{}", if label.is_empty() { id } else { label });
    let mut chars = target.chars();
    match chars.next() {
        Some('@') => named('@', chars.as_str()),
        Some('#') => named('#', chars.as_str()),
        // `<!here>`, `<!subteam^S1|@group>`, `<!date^…|fallback>`.
        Some('!') if !label.is_empty() => label.to_owned(),
        Some('!') => format!("@{}", chars.as_str()),
        _ if label.is_empty() => target.to_owned(),
        _ if shown_as(target, label) => label.to_owned(),
        _ => format!("{label} ({target})"),
    }
}

/// True if the label is the address as a person types it, before Slack added a prefix.
fn shown_as(target: &str, label: &str) -> bool {
    ["", "https://", "http://", "mailto:", "tel:"].iter().any(|context| target.strip_prefix(context) == Some(label))
}

/// Unescapes in one pass: `&amp;lt;` becomes `&lt;` and no more.
fn unescape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let known = [("&lt;", '<'), ("&gt;", '>'), ("&amp;", '&')];
        let found = known.into_iter().find(|(entity, _)| rest.starts_with(entity));
        let (entity, sign) = found.unwrap_or(("&", '&'));
        out.push(sign);
        rest = &rest[entity.len()..];
    }
    out.push_str(rest);
    out
}

/// Escapes plain text for Slack: nothing in it is markup, and it notifies no member.
pub(super) fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// Formats the last `most` characters of a text as a block of code. Nothing in the text ends the block.
pub(super) fn code_block(text: &str, most: usize) -> String {
    let plain: String = text.chars().filter(|c| *c == '\n' || *c == '\t' || !c.is_control()).collect();
    let plain = plain.trim_end().replace("```", "`\u{200b}`\u{200b}`");
    let excess = plain.chars().count().saturating_sub(most);
    let kept: String = plain.chars().skip(excess).collect();
    // A cut line could be mistaken for a whole one.
    let whole = if excess == 0 { kept.as_str() } else { kept.split_once('\n').map_or(kept.as_str(), |(_, rest)| rest) };
    format!("```\n{}\n```", escape(whole))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entities_become_plain_text() {
        for (markup, text) in [
            ("plain", "plain"),
            ("a &lt;b&gt; &amp;&amp; c", "a <b> && c"),
            ("&amp;lt;", "&lt;"),
            ("&nbsp; & &", "&nbsp; & &"),
            ("<@U1> look", "@U1 look"),
            ("<@U1|ann> look", "@ann look"),
            ("<#C1|ops> and <#C2>", "#ops and #C2"),
            ("<!here> <!subteam^S1|@crew>", "@here @crew"),
            ("<https://x.example/a?b=1&amp;c=2>", "https://x.example/a?b=1&c=2"),
            ("<https://x.example|the page>", "the page (https://x.example)"),
            ("<http://x.example|x.example>", "x.example"),
            ("<mailto:a@x.example|a@x.example>", "a@x.example"),
            ("a < b", "a < b"),
            ("1 <2 &gt; 0", "1 <2 > 0"),
            ("<", "<"),
            ("<>", ""),
            ("`rm -rf build;` *bold*", "`rm -rf build;` *bold*"),
        ] {
            assert_eq!(decode(markup), text, "{markup:?}");
        }
    }

    #[test]
    fn what_is_escaped_comes_back_the_same() {
        for text in ["<@U1> & <!channel>", "a\n\tb", "&lt;", "日本語"] {
            let escaped = escape(text);
            assert!(!escaped.contains('<') && !escaped.contains('>'));
            assert_eq!(decode(&escaped), text);
        }
    }

    #[test]
    fn nothing_ends_a_block_of_code_early() {
        let block = code_block("one\n```\n<!channel>\x1b[0m two\n\n", 100);
        assert_eq!(block.matches("```").count(), 2, "{block}");
        assert!(block.contains("&lt;!channel&gt;[0m two\n```"), "{block}");
        assert_eq!(code_block("first line\nsecond line\nthird", 18), "```\nsecond line\nthird\n```");
    }
}
