//! Golden file of the texts posted in Slack.

use wire::{Choice, Message, SayReceipt, SessionName, Verdict};

use super::{
    messages,
    messages::{announcement, asks, machine},
};

fn receipt(verdict: Verdict) -> SayReceipt {
    SayReceipt {
        name: "ops".to_owned(),
        delivered: verdict != Verdict::NotDelivered,
        exit_code: 0,
        messages: vec![Message::out("{what the receipt says}")],
        verdict,
        evidence: wire::Evidence::None,
        turn: None,
        message_id: String::new(),
    }
}

#[test]
fn texts_are_current() {
    let name = SessionName::parse("ops").expect("a name");
    let mut row = wire::Row::bare(&name);
    row.harness = "claude".to_owned();
    row.cwd = "/srv/shop".to_owned();
    row.description = "Watches the queue".to_owned();
    row.started_at = "2026-11-29T08:00:00Z".to_owned();
    row.question = "Run `git push`?".to_owned();
    let authorized = ["U1".to_owned(), "U2".to_owned()];
    let verbosity = standing::config::Verbosity::Verbose;
    let plain = asks(&row);
    row.choices = vec![Choice { key: "1".to_owned(), text: "Yes".to_owned() }];
    let reason = || "{reason}".to_owned();
    let session = || name.tmux_session();
    let refusals = [
        standing::Error::NotRunning { name: name.clone(), reason: reason() },
        standing::Error::Waiting {
            name: name.clone(),
            session: session(),
            socket: String::new(),
            question: "Trust this directory?".to_owned(),
            offers: true,
        },
        standing::Error::UnsentText {
            name: name.clone(),
            session: session(),
            socket: String::new(),
            text: "half a message".to_owned(),
        },
        standing::Error::TmuxSilent { reason: reason() },
        standing::Error::BadRecord { name: name.clone(), path: "/".into(), reason: reason() },
    ];
    let missing = ["the image `chart.png`".to_owned()];
    let mut posts = vec![
        announcement(&row, &authorized, standing::config::Verbosity::Quiet),
        announcement(&row, &[], verbosity),
        messages::test(),
        messages::unbound("ops"),
        messages::superseded("ops"),
        plain,
        asks(&row),
        messages::cut_short(),
        messages::in_part(&missing),
        messages::nothing_to_type(&missing),
        messages::unread_kind("call"),
        messages::edited(),
        messages::with_missing("look at this".to_owned(), &missing),
        messages::not_delivered(&receipt(Verdict::NotDelivered)),
        messages::no_session(),
        messages::not_allowed(),
    ];
    posts.extend(refusals.iter().map(messages::refusal));
    let text = posts.join("\n\n").replace(&machine(), "{machine}");
    testkit::assert_text("slack.txt", &format!("{text}\n"));
}
