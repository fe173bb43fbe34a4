//! The client and the core behind one trait, and the command line that uses the client.

use client::{Client, Error};
use engine::Engine;
use serde_json::json;
use testkit::{TestHome, TestService};
use wire::{
    ControlRequest, ControlVerb, CreateRequest, DeleteRequest, Outcome, ProblemCode, Refusal as _, SayRequest,
    StandingApi, Verdict,
};

use crate::app::{Said, THE_LOOP};

/// Runs the whole life of a session over any client.
async fn life<A: StandingApi>(api: &A) -> Result<(), A::Error> {
    let made = api.create(&CreateRequest { description: "é".to_owned(), ..CreateRequest::named("ops") }).await?;
    assert_eq!(made.sessions[0].outcome, Some(Outcome::Started), "{made:?}");
    let row = api.get("ops").await?;
    assert!(row.running && row.description == "é", "{row:?}");
    assert_eq!(api.list().await?.len(), 1);
    let say = SayRequest { name: "ops".to_owned(), text: "hello there".to_owned(), ..SayRequest::default() };
    assert_eq!(api.say(&say).await?.verdict, Verdict::Submitted);
    assert!(api.screen("ops", 50).await?.contains("hello there"));
    let stop = ControlRequest { name: "ops".to_owned(), verb: ControlVerb::Stop };
    assert_eq!(api.control(&stop).await?.sessions[0].outcome, Some(Outcome::Stopped));
    let refused = api.say(&say).await.expect_err("it does not run");
    assert_eq!(refused.problem().map(|problem| problem.code), Some(ProblemCode::NotRunning));
    assert!(
        refused.problem().is_some_and(|problem| problem.detail.contains("the-loop standing start ops")),
        "{refused}"
    );
    api.delete(&DeleteRequest { name: "ops".to_owned() }).await?;
    let unknown = api.get("a&name=b").await.expect_err("no such name");
    assert_eq!(unknown.problem().map(|problem| problem.code), Some(ProblemCode::InvalidName));
    Ok(())
}

#[tokio::test]
async fn in_this_process() {
    let home = TestHome::builder().exe(THE_LOOP).build();
    life(&Engine::new(home.the_loop())).await.expect("done");
}

#[tokio::test(flavor = "multi_thread")]
async fn over_a_port_and_over_the_socket() {
    let home = TestHome::builder().exe(THE_LOOP).build();
    let service = TestService::start(THE_LOOP, &home);
    let socket = format!("unix:{}", home.project().join(".the-loop/local/service.sock").display());
    for address in [format!("http://{}", service.http().authority()), socket] {
        let client = Client::new(&address).expect("an address");
        assert_eq!(client.health().await.expect("it is up").status, "ok");
        life(&client).await.unwrap_or_else(|error| panic!("{address}: {error}"));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_token_is_read_where_it_lies() {
    let home = TestHome::builder().exe(THE_LOOP).set("/service/auth/mode", json!("token")).build();
    let service = TestService::start(THE_LOOP, &home);
    let client = Client::new(service.http().authority()).expect("an address");
    let refused = client.list().await.expect_err("no token");
    assert!(matches!(&refused, Error::Refused(problem) if problem.status == 401), "{refused:?}");
    let file = home.project().join(".the-loop/local/service.token");
    assert_eq!(client.clone().with_token_file(&file).list().await.expect("let in"), []);
    let token = std::fs::read_to_string(&file).expect("the token");
    let client = client.with_token(token.trim());
    assert_eq!(client.list().await.expect("let in"), []);
    assert!(!format!("{client:?}").contains(token.trim()), "a token is never shown");
}

#[tokio::test]
async fn nobody_there_is_told_as_such() {
    let nobody = Client::new("127.0.0.1:1").expect("an address");
    let error = nobody.list().await.expect_err("nobody listens there");
    assert!(matches!(error, Error::Unreachable { .. }) && error.problem().is_none(), "{error:?}");
    let home = TestHome::builder().exe(THE_LOOP).build();
    let nobody = Client::new(&format!("unix:{}", home.path().join("none.sock").display())).expect("an address");
    assert!(matches!(nobody.list().await, Err(Error::Unreachable { .. })));
}

#[test]
fn the_command_line_has_a_service_do_it() {
    let home = TestHome::builder().exe(THE_LOOP).set("/service/auth/mode", json!("token")).build();
    let service = TestService::start(THE_LOOP, &home);
    let address = format!("http://{}", service.http().authority());
    let run = |args: &[&str]| {
        let mut command = home.command(THE_LOOP);
        Said::of(&command.args(["--service", &address]).args(args).output().expect("the binary runs"))
    };
    let made = run(&["standing", "create", "ops"]);
    assert!(made.code == 0 && made.out.starts_with("ops  started"), "{made:?}");
    let listed = run(&["standing", "list", "--format", "json"]);
    assert!(listed.code == 0 && listed.out.contains("\"running\": true"), "{listed:?}");
    let said = run(&["standing", "say", "ops", "--text", "hello"]);
    assert!(said.code == 0 && said.out.contains("submitted"), "{said:?}");
    let unknown = run(&["standing", "start", "nobody"]);
    assert!(unknown.code == 1 && unknown.err.contains("no session named `nobody`"), "{unknown:?}");
    let deleted = run(&["standing", "delete", "ops", "--yes"]);
    assert!(deleted.code == 0 && deleted.out.starts_with("ops  deleted"), "{deleted:?}");
    // It was the service that did it all.
    let sources: Vec<_> = home.events().iter().map(|event| event["source"].clone()).collect();
    assert!(!sources.is_empty() && sources.iter().all(|source| source == "service"), "{sources:?}");

    let misused = run(&["serve"]);
    assert!(misused.code == 2 && misused.err.contains("--service"), "{misused:?}");
    let nowhere = Said::of(
        &home.command(THE_LOOP).args(["--service", "127.0.0.1:1", "standing", "list"]).output().expect("it runs"),
    );
    assert!(nowhere.code == 1 && nowhere.err.contains("the-loop status"), "{nowhere:?}");
}

#[tokio::test]
async fn a_service_that_hangs_is_told_of() {
    let hung = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let client = Client::new(&hung.local_addr().expect("an address").to_string()).expect("an address");
    let client = client.with_patience(std::time::Duration::from_millis(50));
    let look = client.list().await.expect_err("nobody answers");
    assert!(look.remedies() == [wire::Remedy::RestartService] && matches!(look, Error::Silent { .. }), "{look:?}");
    let verb = client.create(&CreateRequest::named("ops")).await.expect_err("nobody answers");
    assert!(verb.to_string().contains("in progress") && matches!(verb, Error::Patience { .. }), "{verb:?}");
}
