//! A harness made of a command and its arguments: `routing.harnesses.<name>`.

use super::{Fresh, Harness, Place};
use crate::config::{CustomHarness, SessionIds};

pub(crate) struct Custom {
    program: String,
    fixed: Vec<String>,
    new_args: Vec<String>,
    resume_args: Vec<String>,
    minted: bool,
}

impl Custom {
    pub(super) fn new(custom: &CustomHarness) -> Result<Self, String> {
        let (program, fixed) = custom.command.split_first().ok_or("its `command` names no program")?;
        Ok(Self {
            program: program.clone(),
            fixed: fixed.to_vec(),
            new_args: custom.new_args.clone(),
            resume_args: custom.resume_args.clone(),
            minted: custom.session_id == SessionIds::Minted,
        })
    }

    fn argv(&self, template: &[String], id: &str, prompt: &str, args: &[String]) -> Vec<String> {
        // The id first: a prompt may hold `{id}` as text.
        let filled = template.iter().map(|arg| arg.replace("{id}", id).replace("{prompt}", prompt));
        self.fixed.iter().cloned().chain(filled).chain(args.iter().cloned()).collect()
    }
}

impl Harness for Custom {
    fn program(&self) -> &str {
        &self.program
    }

    fn new_id(&self, _: &Place<'_>) -> Result<String, String> {
        Ok(if self.minted { uuid::Uuid::new_v4().to_string() } else { String::new() })
    }

    fn fresh(&self, fresh: &Fresh<'_>) -> Vec<String> {
        self.argv(&self.new_args, fresh.id, fresh.prompt, fresh.args)
    }

    fn resume(&self, id: &str, args: &[String]) -> Option<Vec<String>> {
        (self.minted && !self.resume_args.is_empty()).then(|| self.argv(&self.resume_args, id, "", args))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_are_filled_once() {
        let custom = Custom::new(&CustomHarness {
            command: vec!["agent".to_owned(), "--tui".to_owned()],
            new_args: vec!["--id={id}".to_owned(), "{prompt}".to_owned()],
            resume_args: vec!["--resume".to_owned(), "{id}".to_owned()],
            session_id: SessionIds::Minted,
        })
        .expect("valid");
        let fresh = custom.fresh(&Fresh { id: "i1", args: &["-x".to_owned()], prompt: "say {id}" });
        assert_eq!(fresh, ["--tui", "--id=i1", "say {id}", "-x"]);
        assert_eq!(custom.resume("i1", &[]).expect("can"), ["--tui", "--resume", "i1"]);
    }
}
