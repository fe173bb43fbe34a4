//! The real agents, from npm, on a real tmux, with a model on loopback: whether what the adapters believe is so.
//!
//! They take minutes and a gigabyte of disk, so they run only when asked for: `cargo xtask test --agents`, or
//! `THE_LOOP_TEST_AGENTS=1 cargo test -p standing --test agents [NAME]`. Otherwise every one of them is reported as
//! ignored. `THE_LOOP_TEST_AGENTS_ROUNDS` says how often the life of a session is gone
//! through (20 times for the first two, 5 for the others).
#![expect(clippy::print_stdout, reason = "a test run of minutes tells how it goes, with its figures")]

mod agent;
mod answers;
mod arguments;
mod install;
mod life;
mod obstacles;
mod own;
mod screen;
mod stage;
mod talk;

use std::{env, process::ExitCode};

use libtest_mimic::{Arguments, Trial};

use agent::Agent;

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let asked_for = env::var_os("THE_LOOP_TEST_AGENTS").is_some_and(|value| value != "0" && !value.is_empty());
    if !asked_for {
        println!("the real agents were NOT tested: that takes minutes and npm; `cargo xtask test --agents` does it");
    }
    let trials = Agent::ALL.into_iter().flat_map(trials).map(|trial| trial.with_ignored_flag(!asked_for)).collect();
    libtest_mimic::run(&arguments, trials).exit_code()
}

fn trials(agent: Agent) -> Vec<Trial> {
    let trial = |name: &str, run: fn(Agent)| {
        Trial::test(format!("{}::{name}", agent.name()), move || {
            run(agent);
            Ok(())
        })
    };
    let mut trials = vec![
        trial("a_session_lives_through_its_whole_life", life::rounds),
        trial("a_resume_finds_its_own_conversation", own::resume),
        trial("a_conversation_that_is_gone_gives_way_to_a_fresh_one", own::gone),
        trial("the_brief_arrives_whatever_the_arguments_are", arguments::brief),
        trial("work_and_questions_are_seen_on_the_screen", screen::seen),
    ];
    if agent.new_conversation().is_some() {
        trials.push(trial("a_conversation_that_a_person_moved_to_is_followed", own::moved));
        trials.push(trial("a_conversation_that_a_person_moved_to_is_found_after_its_end", talk::moved_and_ended));
        trials.push(trial("each_of_50_questions_of_8_writers_gets_its_own_answer_or_none", answers::each_its_own));
        trials.push(trial("a_message_that_was_only_queued_outlives_a_stop", talk::queued));
    }
    if matches!(agent, Agent::Claude | Agent::Codex) {
        trials.push(trial("what_blocks_it_is_named", obstacles::named));
    }
    if agent == Agent::Claude {
        trials.push(trial("what_blocks_a_subscriber_is_named", obstacles::named_to_a_subscriber));
        trials.push(trial("its_hooks_tell_and_no_file_of_the_user_changes", obstacles::hooks));
        trials.push(trial("a_folder_of_any_name_has_its_transcript_found", talk::strange_folders));
    }
    trials.push(trial("a_message_does_not_join_text_that_a_person_left_in_the_box", talk::unsent));
    trials
}
