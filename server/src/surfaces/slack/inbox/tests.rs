//! The inbox through restarts, torn writes and much traffic.

use super::*;

fn reply(ts: &str, event_id: &str) -> Reply {
    let stamp = |text: &str| Ts::parse(text).expect("a stamp");
    let text = |text: &str| text.to_owned();
    Reply {
        channel: text("C1"),
        ts: stamp(ts),
        thread: stamp("1.000000"),
        user: text("U1"),
        text: text("words"),
        more: String::new(),
        missing: Vec::new(),
        event_id: text(event_id),
    }
}

fn keys(inbox: &Inbox) -> Vec<String> {
    inbox.pending().iter().map(|pending| pending.reply.ts.to_string()).collect()
}

#[test]
fn a_reply_is_accepted_once_through_a_restart() {
    let root = tempfile::tempdir().expect("a folder");
    let folder = Folder::below(root.path());
    let mut inbox = Inbox::open(&folder).expect("opened");
    let both = vec![reply("3.000000", "Ev3"), reply("2.000000", "Ev2"), reply("3.000000", "Ev3")];
    assert_eq!(inbox.accept(both.clone()).expect("kept").len(), 2);
    assert_eq!(inbox.accept(both.clone()).expect("known"), []);
    assert_eq!(inbox.accept(vec![reply("4.000000", "Ev2")]).expect("known by its event"), []);
    assert_eq!(keys(&inbox), ["2.000000", "3.000000"], "in order");
    drop(inbox);

    let mut inbox = Inbox::open(&folder).expect("opened again");
    assert_eq!(keys(&inbox), ["2.000000", "3.000000"]);
    assert_eq!(inbox.accept(both.clone()).expect("known"), []);
    inbox.came_to(&both[1].key(), &Outcome::Submitted { note: String::new() });
    inbox.done(&both[0].key());
    drop(inbox);

    let mut inbox = Inbox::open(&folder).expect("opened again");
    assert_eq!(keys(&inbox), ["2.000000"]);
    assert_eq!(inbox.pending()[0].outcome, Some(Outcome::Submitted { note: String::new() }));
    inbox.done(&both[1].key());
    assert_eq!(inbox.accept(both).expect("known for as long as it may come again"), []);
}

#[test]
fn a_torn_line_and_what_is_no_line_are_left_out() {
    let root = tempfile::tempdir().expect("a folder");
    let folder = Folder::below(root.path());
    let mut inbox = Inbox::open(&folder).expect("opened");
    inbox.accept(vec![reply("2.000000", "Ev2")]).expect("kept");
    drop(inbox);
    let whole = folder.read(FILE).expect("read");
    let torn = format!("{whole}\0\0\nnull\n{}", &whole[..whole.len() / 2]);
    folder.write(FILE, &torn, ::files::write::Durability::Crash).expect("written");
    let mut inbox = Inbox::open(&folder).expect("opened all the same");
    assert_eq!(keys(&inbox), ["2.000000"]);
    assert_eq!(inbox.accept(vec![reply("5.000000", "Ev5")]).expect("kept").len(), 1);
    drop(inbox);
    assert_eq!(keys(&Inbox::open(&folder).expect("opened")), ["2.000000", "5.000000"]);
}

#[test]
fn delivered_words_do_not_stay_on_disk() {
    let root = tempfile::tempdir().expect("a folder");
    let folder = Folder::below(root.path());
    let mut inbox = Inbox::open(&folder).expect("opened");
    for n in 0..1000 {
        let mut reply = reply(&format!("{}.000000", 100_000 + n), &format!("Ev{n}"));
        reply.text = "secret words ".repeat(20);
        inbox.accept(vec![reply.clone()]).expect("kept");
        inbox.done(&reply.key());
    }
    let kept = folder.read(FILE).expect("read");
    assert!(kept.len() < 400_000, "{} bytes", kept.len());
    drop(Inbox::open(&folder).expect("opened"));
    assert!(!folder.read(FILE).expect("read").contains("secret words"));
}

#[test]
fn a_thread_is_read_on_from_where_it_was_read_to() {
    let root = tempfile::tempdir().expect("a folder");
    let folder = Folder::below(root.path());
    let mut inbox = Inbox::open(&folder).expect("opened");
    let stamp = |text: &str| Ts::parse(text).expect("a stamp");
    let (thread, cursor) = (stamp("1000.000000"), stamp("9000.000000"));
    assert_eq!(inbox.unread_from(&thread, None), thread);
    assert_eq!(inbox.unread_from(&thread, Some(cursor.clone())), stamp("8400.000000"), "known by and large alone");
    inbox.read_to(&thread, &stamp("5000.000000"));
    inbox.read_to(&thread, &stamp("4000.000000"));
    assert_eq!(inbox.unread_from(&thread, Some(cursor.clone())), stamp("5000.000000"));
    drop(inbox);
    let mut inbox = Inbox::open(&folder).expect("opened again");
    assert_eq!(inbox.unread_from(&thread, Some(cursor)), stamp("5000.000000"));
    assert_eq!(inbox.newest()[&thread], stamp("5000.000000"));
    inbox.let_go(std::slice::from_ref(&thread));
    assert_eq!(inbox.unread_from(&thread, None), thread);
}

#[test]
fn what_may_still_be_listed_is_remembered_however_much_there_is() {
    let root = tempfile::tempdir().expect("a folder");
    let folder = Folder::below(root.path());
    let mut inbox = Inbox::open(&folder).expect("opened");
    let thread = Ts::parse("1.000000").expect("a stamp");
    let key = |n: usize| ("C1".to_owned(), Ts::parse(&format!("{}.000000", 100 + n)).expect("a stamp"));
    inbox.read_to(&thread, &key(0).1);
    for n in 0..MOST + 5000 {
        assert!(inbox.note(key(n), Some(thread.clone()), ""));
    }
    inbox.rewrite().expect("written");
    assert!(inbox.seen.len() <= MOST, "{}", inbox.seen.len());
    let from = inbox.unread_from(&thread, None);
    for n in 0..MOST + 5000 {
        let key = key(n);
        assert!(inbox.has_seen(&key) || key.1 <= from, "{} is forgotten and would be listed again", key.1);
    }
}

#[test]
fn a_journal_that_is_removed_while_it_is_open_is_written_again() {
    let root = tempfile::tempdir().expect("a folder");
    let folder = Folder::below(root.path());
    let mut inbox = Inbox::open(&folder).expect("opened");
    inbox.accept(vec![reply("2.000000", "Ev2")]).expect("kept");
    std::fs::remove_dir_all(folder.path_of("")).expect("removed");
    inbox.accept(vec![reply("3.000000", "Ev3")]).expect("kept");
    drop(inbox);
    assert_eq!(keys(&Inbox::open(&folder).expect("opened")), ["2.000000", "3.000000"]);
}
