//! Rows of the table: each fault and its promised outcome.

/// A part of the table.
pub(super) struct Part {
    pub(super) title: &'static str,
    /// Prefix of the row's number.
    pub(super) letter: &'static str,
    pub(super) promises: &'static [Promise],
}

/// One row.
pub(super) struct Promise {
    pub(super) fault: &'static str,
    pub(super) outcome: &'static str,
    /// Tests of the row, each with its module; none if tests are named after the row.
    pub(super) tests: &'static [&'static str],
}

impl Promise {
    /// Creates a row whose tests are named after it.
    const fn row(fault: &'static str, outcome: &'static str) -> Self {
        Self { fault, outcome, tests: &[] }
    }

    const fn by(fault: &'static str, outcome: &'static str, tests: &'static [&'static str]) -> Self {
        Self { fault, outcome, tests }
    }
}

/// All parts; rows are numbered from 1 in each.
pub(super) const PARTS: [Part; 3] = [
    Part { title: "Sessions", letter: "", promises: &SESSIONS },
    Part { title: "Security", letter: "H", promises: &SECURITY },
    Part { title: "Slack", letter: "C", promises: &SLACK },
];

#[rustfmt::skip]
const SESSIONS: [Promise; 30] = [
    Promise::row("kill -9 or a power cut while a record is written", "the record before or the one after, whole; private from its first byte"),
    Promise::row("a crash at any step of a start or create", "whatever verb, listing or pass comes next finds what is there and goes on from it; one harness at most"),
    Promise::row("a crash at any step of a stop, delete or restart", "the next verb finishes it; the conversation is known; no harness is left without a record"),
    Promise::row("twenty starts of one name at once, from two processes", "one spawns, the others say that it runs already"),
    Promise::row("ten creates of one name at once", "one wins; a loser clears away nothing of the winner's"),
    Promise::row("eight writers in two processes say 5 KB each, again and again", "each message arrives once, whole, framed and submitted, in its sender's order; the obvious three calls lose some beside it"),
    Promise::row("the service is killed under load", "no session ends; one pass makes state and reality one; no half message, and none twice"),
    Promise::row("the tmux server is killed", "the status says so and why; conversations are kept; a start resumes; a harness that survives is not started twice"),
    Promise::row("the tmux server stands still", "every verb ends in its time and says that tmux did not answer; nothing is spawned or changed; what tmux does late closes itself"),
    Promise::row("the socket of a living tmux server is deleted", "no second server, whichever session is started; the message says how the socket comes back"),
    Promise::row("a message to a pane that is dead, or dies between check and paste", "refused with how it ended and what to type; every other session lives"),
    Promise::row("a full disk, a read-only state folder, one that others may write in", "refused before anything is spawned, with the path; the old record is whole; listing and stop work"),
    Promise::row("a record that is empty, torn, of zeros, newer, or no file at all", "that row says so and where; its name is not free; the file is never written to; the others are listed; stop works"),
    Promise::row("a second service", "leaves with who runs already, before it did anything"),
    Promise::row("the clock jumps, a reboot, a pid that was given to another process", "nothing waits by the clock; a process is its pid, its start and its boot; a stranger is never signalled"),
    Promise::row("a living session of our name without a record", "start refuses and says how to look at it; no verb touches it"),
    Promise::row("neighbours whose names begin alike", "a verb on one leaves the others alone"),
    Promise::row("a harness that ignores TERM or HUP, forks, detaches, or stands behind a shell", "TERM comes first; after the grace nothing with our id lives, and a bystander does"),
    Promise::row("a harness that is missing, cannot be run, ends at once, or cannot resume", "failed with its exit and last words; a create leaves nothing; a failed resume begins afresh and says so"),
    Promise::row("a working directory that is missing, a file, gone later, or called strangely", "refused before the spawn, or started exactly there; nothing in a name is run"),
    Promise::row("texts of every kind and size", "the same bytes, submitted once; empty and too long are refused before tmux is asked"),
    Promise::row("text with escape sequences and control characters", "taken out, counted and told by one function; nothing is typed outside the frame"),
    Promise::row("copy mode, split and renamed windows, clients of other sizes", "typed into the harness's pane and no other; the screen does not collapse"),
    Promise::row("a dialog on the screen", "refused with the question; no key is sent; it can be forced"),
    Promise::row("a message that is pasted and not submitted", "three verdicts, each with its evidence; Enter is pressed again, the text is never pasted again"),
    Promise::row("the same request twice, also with a kill in between", "typed once; another text under the same key is refused"),
    Promise::row("the environment of whoever starts it", "the harness gets the PATH of now, no nesting marks and no secrets; no command line shows one"),
    Promise::row("the service is restarted under a user unit of systemd", "sessions go on, and none is announced again"),
    Promise::row("a config that cannot be used", "every verb but stop refuses with file, line and key; stop stops"),
    Promise::row("panes that never cease to write", "the others are spoken to, started and stopped beside them"),
];

#[rustfmt::skip]
const SECURITY: [Promise; 14] = [
    Promise::by("a foreign Host: another name, a name that resolves to us, another port, none, two, a forwarded one, one in the request line", "403 everywhere: page, asset, REST, MCP, and every route there is", &["guard::a_foreign_host_gets_nothing_anywhere", "guard::a_forwarded_host_is_not_believed", "guard::a_host_in_the_request_line_counts_as_well", "guard::the_real_service_goes_by_the_port_it_got", "guard::no_route_is_forgotten"]),
    Promise::by("a foreign page: Origin null, elsewhere, another port of this machine, a cross-site fetch", "403 everywhere, before anything is looked at", &["guard::a_foreign_page_gets_nothing_anywhere", "guard::no_route_is_forgotten", "mcp::only_posts_are_taken_and_the_guard_stands_before_them"]),
    Promise::by("a form or plain text where JSON is asked for", "415; the dashboard's own forms are taken from its own page alone", &["rest::only_json_is_taken", "guard::its_own_page_and_plain_programs_are_let_in"]),
    Promise::by("a GET that would change something", "405, with the method that is right", &["rest::a_wrong_method_is_told_which_is_right", "openapi::every_operation_is_routed_and_no_other_method_is"]),
    Promise::by("a preflight", "grants nothing, but to an origin that is named in the config", &["guard::a_preflight_is_answered_for_a_named_origin_alone", "guard::a_named_host_and_a_named_origin_are_let_in"]),
    Promise::by("a token in the query, a wrong one, none", "refused; only a header or the cookie of one's own sign-in opens", &["auth::in_token_mode_only_the_token_opens", "auth::a_browser_is_signed_in_once_by_a_code"]),
    Promise::by("an address that others reach, without a token", "the service does not start, and says what to set", &["auth::a_host_that_others_reach_needs_a_token", "serve::serve_refuses_to_be_exposed_unasked"]),
    Promise::by("another user of this machine", "403; the socket is ours alone", &["auth::another_user_of_this_machine_is_refused", "auth::the_unix_socket_is_ours_alone_and_speaks_to_no_page"]),
    Promise::by("markup, scripts and escape sequences in names, descriptions, questions and panes", "inert in the page, in `list` and in the log", &["screens::tests::what_others_wrote_is_text", "surfaces::cli::sanitize::tests::nothing_active_is_left", "events::what_others_wrote_reaches_no_terminal_unchanged"]),
    Promise::by("a page that tries what its policy forbids", "every answer carries the policy; no frame, no foreign script", &["guard::every_answer_has_the_headers_for_browsers", "openapi::the_page_needs_nothing_from_elsewhere_and_no_script"]),
    Promise::by("files of ours that others could read, or that are links", "folders 0700, files 0600, a planted link is refused", &["folder::tests::files_are_private_and_links_are_not_followed", "background::it_is_on_its_own", "row_12_state_folder_that_others_may_write_in"]),
    Promise::by("a body of 2 MiB", "413, whether its length is told or not", &["rest::a_body_over_the_limit_is_refused"]),
    Promise::by("senders that dawdle, five hundred idle listeners, a listener that does not read", "the others are answered, nothing piles up", &["auth::senders_that_dawdle_do_not_keep_others_out", "stream::five_hundred_idle_clients_do_not_stop_it", "stream::there_is_room_for_so_many_and_a_client_that_leaves_makes_room", "stream::nothing_piles_up_for_a_client_that_does_not_read"]),
    Promise::by("an agent with MCP", "three tools: list, get, say", &["mcp::there_are_three_tools_and_no_more"]),
];

#[rustfmt::skip]
const SLACK: [Promise; 10] = [
    Promise::by("the same event four times", "typed once", &["faults::the_same_event_four_times_is_typed_once"]),
    Promise::by("a retry that is the only copy", "heard", &["faults::a_repetition_that_is_the_only_copy_is_heard"]),
    Promise::by("somebody who is not on the list, or no longer; an empty list", "not heard, not answered", &["gates::who_is_not_on_the_list_is_not_heard", "gates::an_empty_list_lets_nobody_in", "gates::a_member_who_is_taken_off_the_list_is_heard_no_more"]),
    Promise::by("a bot with a listed user, an edit, a deletion, another thread; a broadcast, a file with words", "never; the words of the last two are delivered", &["gates::only_a_persons_own_words_count"]),
    Promise::by("a thread that is bound to nobody; a name that was deleted and made again", "nothing is typed; the new session has a thread of its own", &["gates::only_a_persons_own_words_count", "talk::a_restart_keeps_the_thread_and_a_deletion_ends_it"]),
    Promise::by("Slack's own markup in a message", "decoded, then held to the one policy for text", &["entities::tests::entities_become_plain_text", "gates::text_is_held_to_the_same_policy_as_everywhere"]),
    Promise::by("a socket that drops in a burst; words while there was none", "nothing is lost, and the order is kept", &["faults::a_socket_that_ends_in_a_burst_loses_nothing", "faults::what_was_said_while_no_socket_was_open_is_fetched_before_what_comes_after", "faults::swapped_and_late_events_keep_the_order_of_the_thread"]),
    Promise::by("a socket that is open and deaf", "noticed and replaced", &["faults::a_deaf_socket_is_noticed_and_replaced", "faults::a_socket_without_a_sign_of_life_is_replaced"]),
    Promise::by("kill -9 between acknowledgement, pane and receipt", "typed once, or said not to be known", &["crash::killed_between_the_acknowledgement_and_the_pane_it_types_once", "crash::killed_between_the_pane_and_the_receipt_it_does_not_type_again", "crash::killed_at_any_moment_it_types_once_or_says_that_it_does_not_know"]),
    Promise::by("a question on the screen", "told once in the thread; no reply answers it", &["waiting::a_question_is_told_once_and_no_reply_answers_it"]),
];
