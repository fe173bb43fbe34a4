//! Row 30: panes that print without end leave the others, and the-loop, responsive.

use serde_json::json;
use standing::{ControlVerb, CreateRequest, Outcome};
use wire::{Evidence, Verdict};

use crate::stage::{begin, builder, control, faulty, framed, id_of, living, said, say, shows};

#[test]
fn row_30_others_are_spoken_to_started_and_stopped_beside_noisy_panes() {
    let home = builder()
        .set("/routing/harnesses/yes", json!({"command": ["sh", "-c", "exec yes 'no end of it'"], "sessionId": "none"}))
        .build();
    let the_loop = home.the_loop();
    let standing = the_loop.standing();
    let quiet = begin(&the_loop, &CreateRequest::named("quiet"));
    begin(&the_loop, &CreateRequest { harness: "yes".to_owned(), ..CreateRequest::named("yes") });
    let noisy = begin(&the_loop, &faulty("noisy", &["noisy"]));
    shows(&home, "yes", "no end of it");
    shows(&home, "noisy", "noise ");

    let text = "heard in spite of it ".repeat(1000);
    for turn in 1..=3 {
        let receipt = say(&the_loop, "quiet", &text);
        assert_eq!((receipt.verdict, receipt.evidence), (Verdict::Submitted, Evidence::Transcript), "{receipt:?}");
        assert!(said(&home, &quiet) == vec![framed("quiet", &text); turn]);
        let rows = standing.list().expect("listed");
        assert!(rows.len() == 3 && rows.iter().all(|row| row.running), "{rows:?}");
        assert!(standing.survey(5).expect("looked at").iter().all(|(_, screen)| !screen.is_empty()));
    }
    begin(&the_loop, &CreateRequest::named("another"));
    assert_eq!(control(&the_loop, "another", ControlVerb::Restart).outcome, Some(Outcome::Resumed));
    assert_eq!(control(&the_loop, "another", ControlVerb::Stop).outcome, Some(Outcome::Stopped));

    // The noisy ones hear as well, and are stopped as any other.
    let receipt = say(&the_loop, "noisy", "hush");
    assert_eq!(receipt.verdict, Verdict::Submitted, "{receipt:?}");
    assert_eq!(said(&home, &noisy), [framed("noisy", "hush")]);
    for name in ["noisy", "yes"] {
        let id = id_of(&home, name);
        assert_eq!(control(&the_loop, name, ControlVerb::Stop).outcome, Some(Outcome::Stopped));
        assert!(living(&id).is_empty());
    }
    assert!(standing.get("quiet").expect("known").running);
}
