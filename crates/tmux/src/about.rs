//! Facts about tmux itself: the program on PATH, and the server that answers.

use super::{Answer, Silence, Tmux};

/// Running tmux server.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct About {
    /// Process of the server.
    pub pid: u32,
    /// Version as the server reports it: `3.3a`.
    pub version: String,
    /// Environment of every new pane, except variables that its session overrides. A value with line breaks is cut at
    /// the first.
    pub environment: Vec<(String, String)>,
}

impl Tmux {
    /// Returns the version of the program on PATH: `3.3a`.
    pub fn program_version(&self) -> Answer<String> {
        match self.call(&["-V"], b"") {
            Answer::Silent(silence) => Answer::Silent(silence),
            Answer::Said(output) if output.status.success() => {
                let said = String::from_utf8_lossy(&output.stdout);
                let version = said.trim();
                Answer::Said(version.strip_prefix("tmux ").unwrap_or(version).to_owned())
            }
            Answer::Said(output) => Answer::Silent(output.silence()),
        }
    }

    /// Returns the server, if one answers.
    pub fn about_server(&self) -> Answer<Option<About>> {
        let args = ["display-message", "-p", "#{pid}\t#{version}", ";", "show-environment", "-g"];
        match self.call(&args, b"") {
            Answer::Silent(silence) => Answer::Silent(silence),
            Answer::Said(output) if output.status.success() => {
                let said = String::from_utf8_lossy(&output.stdout);
                about(&said).map_or_else(
                    || Answer::Silent(Silence(format!("it said: {}", said.lines().next().unwrap_or_default()))),
                    |about| Answer::Said(Some(about)),
                )
            }
            Answer::Said(output) if output.no_server() || output.no_session() || output.server_ended() => {
                Answer::Said(None)
            }
            Answer::Said(output) => Answer::Silent(output.silence()),
        }
    }
}

fn about(said: &str) -> Option<About> {
    let mut lines = said.lines();
    let (pid, version) = lines.next()?.split_once('\t')?;
    let environment = lines.filter_map(|line| line.split_once('=')).filter(|(key, _)| !key.starts_with('-'));
    Some(About {
        pid: pid.parse().ok()?,
        version: version.to_owned(),
        environment: environment.map(|(key, value)| (key.to_owned(), value.to_owned())).collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_server_says_of_itself_is_read() {
        let about = about("7\t3.3a\nPATH=/bin:/usr/bin\n-TERM\nX=a=b\nrest of a value\n").expect("understood");
        assert_eq!((about.pid, about.version.as_str()), (7, "3.3a"));
        let pairs: Vec<_> = about.environment.iter().map(|(key, value)| (key.as_str(), value.as_str())).collect();
        assert_eq!(pairs, [("PATH", "/bin:/usr/bin"), ("X", "a=b")]);
        assert_eq!(super::about("something else\n"), None);
    }
}
