//! Round-trip test: posts a message to the configured channel and waits for it to come back like a reply.

use std::time::{Duration, Instant};

use standing::{TheLoop, config::SlackRead};
use tokio::{runtime, time};

use super::{
    address::Address,
    api::{Api, Posted},
    folder::Folder,
    messages,
    report::is_hosted,
    socket::Probe,
    status::{self, own},
    tokens::Tokens,
};

/// Timeout for the message to come back.
const PATIENCE: Duration = Duration::from_secs(20);

/// Interval at which the service's status is read.
const LOOK: Duration = Duration::from_millis(20);

/// Result of a round trip.
#[derive(Clone, Debug)]
pub struct RoundTrip {
    /// ID of the channel with the message.
    pub channel: String,
    /// Path by which the message came back, as text for a person.
    pub way: &'static str,
    /// Time taken to post the message.
    pub posted_in: Duration,
    /// Time from posting until the message came back.
    pub back_in: Duration,
}

/// Posts a message and waits for it to come back, or returns the reason for the failure. Blocks meanwhile.
pub fn round_trip(the_loop: &TheLoop) -> Result<RoundTrip, String> {
    let config = the_loop.config();
    let slack = &config.settings.slack;
    if !slack.enabled {
        return Err("Slack is disabled: set `channels.slack.enabled: true` in the config".to_owned());
    }
    if slack.channel.is_empty() {
        return Err("no channel is configured: set `channels.slack.channel` in the config".to_owned());
    }
    let tokens = Tokens::of(slack, the_loop.surroundings()).map_err(|missing| missing.to_string())?;
    let api = Api::new(Address::of(the_loop.surroundings())?, tokens)?;
    let folder = Folder::below(&config.settings.state_root);
    let runtime = runtime::Builder::new_current_thread().enable_all().build().map_err(|error| error.to_string())?;
    runtime.block_on(travel(&api, &folder, &slack.channel, slack.read))
}

async fn travel(api: &Api, folder: &Folder, channel: &str, mode: SlackRead) -> Result<RoundTrip, String> {
    let hosted = is_hosted(folder);
    // A second connection would take replies away from the service, so one is opened only if the service has none.
    let mut probe = match mode {
        SlackRead::Socket if !hosted => Some(Probe::open(api, PATIENCE).await.map_err(|error| error.to_string())?),
        _ => None,
    };
    let begun = Instant::now();
    let posted = api.post_message(channel, None, &messages::test()).await.map_err(|error| error.to_string())?;
    let posted_in = begun.elapsed();
    let begun = Instant::now();
    let coming = async {
        match (&mut probe, mode) {
            (Some(probe), _) => {
                probe.until(&posted.channel, &posted.ts).await.map(|()| "over a socket opened by this command")
            }
            (None, SlackRead::Socket) => heard(folder, &posted).await,
            (None, SlackRead::Poll | SlackRead::Off) => read_back(api, &posted).await,
        }
    };
    let late = || {
        format!(
            "the message was posted but not received within {} s: is the app subscribed to the event \
             `message.channels` (`message.groups` for a private channel), and is Socket Mode on?",
            PATIENCE.as_secs()
        )
    };
    let way = time::timeout(PATIENCE, coming).await.map_err(|_| late())??;
    Ok(RoundTrip { channel: posted.channel, way, posted_in, back_in: begun.elapsed() })
}

/// Waits until the service has received the message.
async fn heard(folder: &Folder, posted: &Posted) -> Result<&'static str, String> {
    let wanted = own(&posted.channel, &posted.ts);
    loop {
        let status = status::read(folder).map_err(|error| error.to_string())?;
        if status.is_some_and(|status| status.own_heard == wanted) {
            return Ok("over the service's socket");
        }
        time::sleep(LOOK).await;
    }
}

async fn read_back(api: &Api, posted: &Posted) -> Result<&'static str, String> {
    let page = api.replies(&posted.channel, &posted.ts, &posted.ts, "").await.map_err(|error| error.to_string())?;
    if page.messages.iter().any(|message| message["ts"] == posted.ts.as_str()) {
        return Ok("by polling its thread");
    }
    Err("the message was posted but could not be read back".to_owned())
}
