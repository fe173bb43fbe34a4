//! Slack from a declared config to a session's pane and back, against a stand-in on loopback: the real service, real
//! sessions with the built-in agent, a private tmux.

#[path = "slack/answers.rs"]
mod answers;
#[path = "slack/apart.rs"]
mod apart;
#[path = "slack/crash.rs"]
mod crash;
#[path = "slack/fair.rs"]
mod fair;
#[path = "slack/faults.rs"]
mod faults;
#[path = "slack/gates.rs"]
mod gates;
#[path = "slack/line.rs"]
mod line;
#[path = "slack/many.rs"]
mod many;
#[path = "slack/modes.rs"]
mod modes;
#[path = "slack/parts.rs"]
mod parts;
#[path = "slack/rest.rs"]
mod rest;
#[path = "slack/secrets.rs"]
mod secrets;
#[path = "slack/stage.rs"]
mod stage;
#[path = "slack/talk.rs"]
mod talk;
#[path = "slack/waiting.rs"]
mod waiting;
