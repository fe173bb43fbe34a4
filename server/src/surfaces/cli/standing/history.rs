//! `standing history`: shows what was said in the conversations of a session.

use engine::StandingApi;
use wire::{Speaker, Spoken};

use super::{
    Format, Output, Refusal, document, given,
    output::{BOLD, DIM, paint},
    sanitize,
};

pub(super) const EXAMPLES: &str = "\
Examples:
  the-loop standing history ops
  the-loop standing history ops --limit 200 --format json | jq -r '.texts[].text'

Former conversations are included. The texts come from the transcripts of claude, codex and demo.";

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The session
    #[arg(value_parser = given::session)]
    name: String,
    /// Number of texts, the last ones
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = clap::value_parser!(u16).range(1..=1000))]
    limit: u16,
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

pub(super) async fn run(api: &impl StandingApi, args: &Args, output: &mut Output) -> Result<u8, Refusal> {
    let history = api.history(&args.name, args.limit.into()).await?;
    match args.format {
        Format::Json => output.out(&document(&history)?),
        Format::Text => {
            let mut conversation = "";
            for spoken in &history.texts {
                if conversation != spoken.conversation {
                    conversation = &spoken.conversation;
                    output
                        .out(&format!("{}\n\n", paint(DIM, format!("conversation {}", sanitize::line(conversation)))));
                }
                output.out(&shown(spoken));
            }
        }
    }
    if history.incomplete {
        output.err(&format!("could not read every transcript of `{}`\n", sanitize::line(&args.name)));
    }
    Ok(0)
}

fn shown(spoken: &Spoken) -> String {
    let who = match spoken.speaker {
        Speaker::Agent => "agent",
        Speaker::User if spoken.actor.is_empty() => "user",
        Speaker::User => &spoken.actor,
    };
    let head = format!("{}  {}", sanitize::line(&spoken.at), paint(BOLD, sanitize::line(who)));
    format!("{head}\n{}\n\n", sanitize::text(spoken.text.trim_end()))
}
