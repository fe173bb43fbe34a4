//! Test of the targets, for the command line.

use std::time::{Duration, Instant};

use standing::TheLoop;
use tokio::runtime::Builder;

use super::{
    note::Note,
    secret,
    target::{self, Target},
};

/// Result of the test of one target.
#[derive(Clone, Debug)]
pub(crate) struct Sent {
    /// Kind and host of the target, or its program.
    pub(crate) target: String,
    /// Time that it took, or the reason why it failed.
    pub(crate) result: Result<Duration, String>,
}

/// Sends a notification to each target of the config, all at the same time, and returns the results in its order.
pub(crate) fn test(the_loop: &TheLoop) -> std::io::Result<Vec<Sent>> {
    let config = the_loop.config();
    let environment = secret::environment(the_loop.surroundings(), &config.settings);
    Builder::new_current_thread().enable_all().build()?.block_on(async {
        let tests = config.settings.notify.iter().map(|notify| {
            let environment = &environment;
            async move {
                let begun = Instant::now();
                let result = match Target::of(&notify.to, environment) {
                    Ok(target) => target.send(&Note::test()).await.map_err(|failure| failure.text),
                    Err(why) => Err(why),
                };
                Sent { target: target::described(&notify.to), result: result.map(|()| begun.elapsed()) }
            }
        });
        Ok(futures_util::future::join_all(tests).await)
    })
}
