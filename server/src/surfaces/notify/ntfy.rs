//! Topic of an ntfy server. A notification has the id of its episode as sequence id, so that repeating it replaces it,
//! and a settled one is deleted from the devices.

use reqwest::{Client, Method, RequestBuilder, Url};
use secrecy::ExposeSecret as _;
use serde_json::{Value, json};
use wire::Need;

use super::{
    failure::Failure,
    http,
    note::{Event, Note},
    secret::Secret,
};

/// Maximum number of actions of a notification.
const ACTIONS: usize = 3;

/// Largest list of messages that is read, in bytes.
const MAX_LIST: usize = 4 << 20;

/// Topic of an ntfy server.
#[derive(Debug)]
pub(super) struct Ntfy {
    client: Client,
    /// Address of the server, with a slash at its end.
    server: Url,
    topic: String,
    token: Option<Secret>,
}

impl Ntfy {
    pub(super) fn new(url: &Url, token: Option<Secret>) -> Result<Self, String> {
        let path = url.path().trim_end_matches('/');
        let (folder, topic) = path.rsplit_once('/').ok_or("its address has no topic")?;
        let mut server = url.clone();
        server.set_path(&format!("{folder}/"));
        server.set_query(None);
        Ok(Self { client: http::client(url)?, server, topic: topic.to_owned(), token })
    }

    pub(super) async fn send(&self, note: &Note) -> Result<(), Failure> {
        let sent = match note.event {
            Event::Settled => self.delete(note).await,
            Event::Needed | Event::Test if note.unsure && self.has(note).await => Ok(()),
            Event::Needed | Event::Test => self.publish(note).await,
        };
        if sent.as_ref().is_err_and(|failure| failure.refused)
            && let Some(token) = &self.token
        {
            token.forget();
        }
        sent
    }

    async fn publish(&self, note: &Note) -> Result<(), Failure> {
        let request = self.request(Method::POST, "").await?;
        let body = self.message(note).to_string();
        http::result(request.header("content-type", "application/json").body(body).send().await).map(drop)
    }

    /// Deletes a notification from the devices. A server before ntfy 2.16 cannot, which is no failure.
    async fn delete(&self, note: &Note) -> Result<(), Failure> {
        let request = self.request(Method::DELETE, &format!("{}/{}", self.topic, sequence(note))).await?;
        match http::result(request.send().await) {
            Err(failure) if failure.unknown => {
                tracing::debug!("the ntfy server cannot delete notifications");
                Ok(())
            }
            done => done.map(drop),
        }
    }

    /// True if the server has this notification already. If it does not say, it is sent again and replaces itself.
    async fn has(&self, note: &Note) -> bool {
        let Ok(request) = self.request(Method::GET, &format!("{}/json?poll=1&since=12h", self.topic)).await else {
            return false;
        };
        let Ok(mut response) = http::result(request.send().await) else { return false };
        let mut list = Vec::new();
        while let Ok(Some(chunk)) = response.chunk().await {
            if list.len() + chunk.len() > MAX_LIST {
                return false;
            }
            list.extend_from_slice(&chunk);
        }
        let messages = String::from_utf8_lossy(&list);
        let of_note = messages
            .lines()
            .filter_map(|line| serde_json::from_str::<Value>(line).ok())
            .filter(|message| message["event"] == "message" && message["sequence_id"] == sequence(note));
        of_note.count() >= note.number as usize
    }

    async fn request(&self, method: Method, path: &str) -> Result<RequestBuilder, Failure> {
        let url = self.server.join(path).map_err(|_| Failure::new("its address is not a valid URL"))?;
        let request = self.client.request(method, url);
        Ok(match &self.token {
            Some(token) => request.bearer_auth(token.get().await?.expose_secret()),
            None => request,
        })
    }

    fn message(&self, note: &Note) -> Value {
        let mut message = json!({
            "topic": self.topic,
            "title": note.title,
            "message": note.text,
            "priority": priority(note),
            "tags": [tag(note)],
            "sequence_id": sequence(note),
        });
        if let Some(page) = &note.page {
            message["click"] = json!(page);
        }
        let actions = actions(note);
        if !actions.is_empty() {
            message["actions"] = Value::Array(actions);
        }
        message
    }
}

/// Returns the buttons of a notification: an answer each, or the page with all of them if there are more.
fn actions(note: &Note) -> Vec<Value> {
    let Some(answer) = note.answer.as_ref().filter(|_| !note.choices.is_empty()) else { return Vec::new() };
    if note.choices.len() > ACTIONS {
        return vec![json!({ "action": "view", "label": "Answer", "url": answer })];
    }
    let http = |choice: &wire::Choice| {
        let label = format!("{}. {}", choice.key, choice.text);
        let url = format!("{answer}/{}", choice.key);
        json!({ "action": "http", "label": label, "url": url, "method": "POST", "clear": true })
    };
    note.choices.iter().map(http).collect()
}

fn sequence(note: &Note) -> String {
    format!("the-loop-{}", note.id)
}

fn priority(note: &Note) -> u8 {
    match note.kind {
        _ if note.event == Event::Test => 3,
        Need::Prompt | Need::LoggedOut | Need::Exited | Need::Broken => 4,
        _ => 3,
    }
}

fn tag(note: &Note) -> &'static str {
    match note.kind {
        _ if note.event == Event::Test => "white_check_mark",
        Need::Prompt => "question",
        Need::Answer => "speech_balloon",
        Need::Limited | Need::Overloaded | Need::Stalled => "hourglass",
        _ => "warning",
    }
}

#[cfg(test)]
mod tests {
    use wire::Choice;

    use super::*;

    #[test]
    fn an_answer_is_a_button_and_many_are_a_page() {
        let choice = |key: usize| Choice { key: key.to_string(), text: "Yes".to_owned() };
        let answer = Some("https://loop.example/answer/t".to_owned());
        let few = Note { choices: (1..=3).map(choice).collect(), answer: answer.clone(), ..Note::test() };
        let buttons = actions(&few);
        assert_eq!(buttons.len(), 3);
        assert_eq!(buttons[1]["url"], "https://loop.example/answer/t/2");
        assert_eq!((buttons[1]["action"].as_str(), buttons[1]["method"].as_str()), (Some("http"), Some("POST")));
        let many = Note { choices: (1..=4).map(choice).collect(), ..few.clone() };
        assert_eq!(actions(&many)[0]["action"], "view");
        assert!(actions(&Note { answer: None, ..few }).is_empty());
    }

    #[test]
    fn a_topic_may_be_below_a_path() {
        let ntfy = Ntfy::new(&"http://127.0.0.1:9/push/agents/".parse().expect("a URL"), None).expect("a topic");
        assert_eq!((ntfy.server.as_str(), ntfy.topic.as_str()), ("http://127.0.0.1:9/push/", "agents"));
    }
}
