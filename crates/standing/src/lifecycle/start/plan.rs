//! Plan of a start, made and checked before anything is changed.

use std::{
    borrow::Cow,
    path::{Path, PathBuf},
    thread,
    time::Duration,
};

use harness::{Act, Adapter, Fresh, Place, Trust, account::Account, find_program};
use wire::{SecretSource, SessionName};

use crate::{
    Surroundings, clock,
    definition::{Definition, check_directory},
    directive,
    lifecycle::Context,
    registry::{self, Origin, Pending, Record},
    sockets,
    variables::Secrets,
};

/// Size limit of a prompt as an argument, in bytes: the kernel allows 128 KiB for one argument. A longer prompt is
/// passed in a file.
const PROMPT_LIMIT: usize = 120_000;

/// Number of times that trust is added again after another program overwrote it.
const TRUSTED_AGAIN: u32 = 10;

/// Time that a program without a lock may need from its read to its write.
const TRUST_SETTLES: Duration = Duration::from_millis(30);

/// Conversation of an attempt.
#[derive(Clone, Debug)]
pub(super) enum Conversation {
    /// The recorded conversation.
    Resumed(String),
    /// A new conversation, with the id created for it; empty if the harness creates its own.
    Fresh(String),
}

/// Start that can be made.
pub(super) struct Plan<'a> {
    pub(super) definition: &'a Definition,
    pub(super) adapter: Adapter,
    program: PathBuf,
    brief: String,
    pub(super) cwd: PathBuf,
    /// Environment of the session: given to its harness, and used for every lookup.
    pub(super) environment: Cow<'a, Surroundings>,
    /// Variables of the caller that its harness does not get.
    pub(super) left_out: Vec<String>,
    /// Notes for the caller about the environment.
    environment_notes: Vec<String>,
    /// Note for the caller about the directory.
    note: Option<String>,
    /// Reason why the recorded conversation is missing in the account that its definition changes to.
    moved: Option<String>,
    /// Sources of its secrets, with absolute paths.
    pub(super) secrets: Secrets,
    /// Reason why the directory could not be marked as trusted.
    pub(super) untrusted: Option<String>,
    /// Reason why its hooks could not be added to its settings.
    pub(super) unheard: Option<String>,
    resume_on_respawn: bool,
}

impl<'a> Plan<'a> {
    /// Makes a plan, or returns the reason why a start is not possible.
    pub(super) fn make(
        context: &'a Context,
        definition: &'a Definition,
        record: Option<&Record>,
    ) -> Result<Self, String> {
        let adapter = context.harness(&definition.harness)?;
        adapter.check_args(&definition.harness_args)?;
        let brief = definition.brief.read()?;
        let mut plan = Self {
            definition,
            adapter,
            program: PathBuf::new(),
            brief,
            cwd: definition.cwd.clone(),
            environment: Cow::Borrowed(&context.surroundings),
            left_out: Vec::new(),
            environment_notes: Vec::new(),
            note: None,
            moved: None,
            secrets: Secrets::new(),
            untrusted: None,
            unheard: None,
            resume_on_respawn: context.settings().routing.tmux.resume_on_respawn,
        };
        if let Some(record) = record.filter(|record| plan.resumable(Some(record)).is_some() && !record.cwd.is_empty()) {
            // A conversation belongs to the directory in which it began.
            plan.cwd = context.definitions().directory(&record.cwd);
            if plan.cwd != definition.cwd {
                plan.note = Some(format!(
                    "it resumes in {}, where its conversation was started; a new conversation would start in {}",
                    plan.cwd.display(),
                    definition.cwd.display()
                ));
            }
        }
        check_directory(&plan.cwd)?;
        let environment = context.environment_to_start(&plan.adapter, &definition.env, &plan.cwd, record)?;
        (plan.environment, plan.environment_notes) = (environment.vars, environment.notes);
        plan.leave_out_sockets();
        plan.unheard = plan.check_hooks(context);
        plan.moved = record
            .filter(|record| plan.resumable(Some(record)).is_some())
            .and_then(|record| context.moved(&plan.adapter, &plan.environment, record));
        if plan.moved.is_some() {
            plan.begin_afresh()?;
        }
        plan.secrets = plan.resolved_secrets(context)?;
        plan.program = find_program(plan.adapter.program(), &plan.cwd, &plan.environment)
            .map_err(|reason| format!("could not start the harness `{}`: {reason}", definition.harness))?;
        if let Some(behind) = plan.adapter.program_behind() {
            find_program(behind, &plan.cwd, &plan.environment)
                .map_err(|reason| format!("could not start the harness `{}`: {reason}", definition.harness))?;
        }
        Ok(plan)
    }

    /// Returns the sources of its secrets, checked now: a start with a missing source fails before it spawns
    /// anything.
    fn resolved_secrets(&self, context: &Context) -> Result<Secrets, String> {
        let project = context.config.path.project_dir();
        let of = |source: &SecretSource| -> Result<SecretSource, String> {
            Ok(match source {
                SecretSource::File(path) => SecretSource::File(utf8(self.environment.resolve(path, project))?),
                SecretSource::Command(words) => {
                    let mut words = words.clone();
                    let program = words.first_mut().ok_or("its command is empty")?;
                    *program = utf8(find_program(program, &self.cwd, &self.environment)?)?;
                    SecretSource::Command(words)
                }
            })
        };
        let secrets = self.definition.secrets.iter();
        let named = |(name, source): (&String, &SecretSource)| match of(source) {
            Ok(source) => Ok((name.clone(), source)),
            Err(reason) => Err(format!("could not read the secret `{name}`: {reason}")),
        };
        secrets.map(named).collect()
    }

    /// Removes variables that name sockets which no longer exist.
    fn leave_out_sockets(&mut self) {
        let gone = sockets::gone(&self.environment);
        // Variables set by the definition are intended.
        for gone in gone.into_iter().filter(|gone| !self.definition.env.contains_key(&gone.key)) {
            self.environment = Cow::Owned(self.environment.clone().into_owned().without_var(&gone.key));
            let path = gone.path.display();
            self.environment_notes.push(format!("{} was not passed on: its socket {path} no longer exists", gone.key));
            self.left_out.push(gone.key);
        }
    }

    /// Returns the place in which its harness will run, for its adapter.
    pub(super) fn place<'b>(&'b self, context: &'b Context) -> Place<'b> {
        context.place_with(Cow::Borrowed(&self.environment), &self.cwd)
    }

    /// Returns further notes for the caller.
    pub(super) fn notes(&self) -> Vec<String> {
        let untrusted =
            self.untrusted.iter().map(|error| format!("could not trust its directory in advance ({error})"));
        let told = self.note.iter().chain(&self.environment_notes).chain(&self.moved).cloned();
        let unheard = self.unheard.iter().map(|error| format!("its hooks are off: {error}"));
        told.chain(untrusted).chain(unheard).chain(self.adapter.hint()).collect()
    }

    /// Marks the directory as trusted by its harness, if that is configured and missing.
    pub(super) fn trust(&self, context: &Context) -> Result<Trust, String> {
        let settings = context.settings().routing.harness_trust;
        if !settings.enabled {
            return Ok(Trust::Given);
        }
        self.adapter.trust(&self.place(context), &self.definition.harness_args, settings, Act::Write)
    }

    /// Makes sure that the added trust stays. A program without a lock may have read the file before and written it
    /// after the change. Then the directory is missing again, and is added again.
    pub(super) fn keep_trusted(&self, context: &Context) {
        for _ in 0..TRUSTED_AGAIN {
            match self.trust(context) {
                Ok(Trust::Added) => thread::sleep(TRUST_SETTLES),
                _ => return,
            }
        }
    }

    /// Returns the account that its harness gets.
    pub(super) fn account(&self) -> Account {
        Account::of(self.adapter.account(), &self.environment)
    }

    /// Moves the plan to the place of a new conversation, after a resume failed. True if the place differs.
    pub(super) fn begin_afresh(&mut self) -> Result<bool, String> {
        check_directory(&self.definition.cwd)?;
        self.note = None;
        let before = std::mem::replace(&mut self.cwd, self.definition.cwd.clone());
        Ok(before != self.cwd)
    }

    /// Returns the recorded conversation, if this start would resume it.
    pub(super) fn resumable(&self, record: Option<&Record>) -> Option<String> {
        let record = record?;
        let id = &record.harness_session_id;
        let same = record.harness.is_empty() || record.harness == self.definition.harness;
        let can = self.resume_on_respawn && same && !id.is_empty() && self.moved.is_none();
        (can && self.adapter.resume(id, &self.definition.harness_args).is_some()).then(|| id.clone())
    }

    /// Returns the record as it will be: the complete definition as of this start, and its previous conversation.
    pub(super) fn record(&self, before: Option<&Record>) -> Record {
        let definition = self.definition;
        let mut record = before.cloned().unwrap_or_else(|| Record::new(&definition.name, clock::now()));
        if definition.declared {
            record.origin = Origin::Declared;
        }
        if record.harness_session_id.is_empty() || record.harness.is_empty() {
            record.harness.clone_from(&definition.harness);
        }
        if record.harness_session_id.is_empty() || record.cwd.is_empty() {
            record.cwd = self.cwd.display().to_string();
        }
        record.harness_args.clone_from(&definition.harness_args);
        record.harness_args_inherited = definition.harness_args_inherited;
        record.description.clone_from(&definition.description);
        record.prompt.clone_from(&self.brief);
        record.auto_start = definition.auto_start;
        record.env.clone_from(&definition.env);
        record.secrets.clone_from(&definition.secrets);
        record.slack_enabled = definition.slack_enabled;
        // A bound thread keeps its channel, even if another channel is configured later.
        if definition.slack_enabled && record.slack_thread.is_empty() {
            record.slack_channel.clone_from(&definition.slack_channel);
        }
        record
    }

    /// Returns the id of a new conversation; empty if only its harness will know it.
    pub(super) fn new_id(&self, context: &Context) -> Result<String, String> {
        self.adapter.new_id(&self.place(context))
    }

    /// Returns a new conversation as this start would record it.
    pub(super) fn pending(&self, id: &str) -> Pending {
        let (harness, cwd) = (self.definition.harness.clone(), self.cwd.display().to_string());
        Pending { session_id: id.to_owned(), harness, cwd, account: self.account() }
    }

    /// Returns the complete command for a conversation.
    pub(super) fn argv(
        &self,
        context: &Context,
        conversation: &Conversation,
        args: &[String],
    ) -> Result<Vec<String>, String> {
        let rest = match conversation {
            Conversation::Resumed(id) => self.adapter.resume(id, args).unwrap_or_default(),
            Conversation::Fresh(id) => {
                let prompt = self.prompt(&context.registry.launch_dir())?;
                self.adapter.fresh(&Fresh { id, args, prompt: &prompt })
            }
        };
        let program = self.program.to_str().ok_or("the program's path is not UTF-8")?;
        Ok(std::iter::once(program.to_owned()).chain(rest).collect())
    }

    /// Returns the first prompt of a new conversation.
    pub(super) fn prompt(&self, dir: &Path) -> Result<String, String> {
        let definition = self.definition;
        let whole = directive::boot_prompt(&definition.name, definition.slack_enabled, &self.brief);
        if whole.len() <= PROMPT_LIMIT {
            return Ok(whole);
        }
        let path = brief_file(dir, &definition.name);
        registry::atomic(&path, self.brief.as_bytes()).map_err(|error| error.to_string())?;
        let pointer =
            format!("It is too long to be passed here. Read the whole file {} and follow it.", path.display());
        Ok(directive::boot_prompt(&definition.name, definition.slack_enabled, &pointer))
    }
}

fn utf8(path: PathBuf) -> Result<String, String> {
    path.into_os_string().into_string().map_err(|path| format!("{}: not UTF-8", path.display()))
}

/// Returns the path of the file for a brief that is too long for an argument.
fn brief_file(dir: &Path, name: &SessionName) -> PathBuf {
    dir.join(format!("{name}.brief.md"))
}

/// Removes the brief of a deleted session.
pub(crate) fn forget(context: &Context, name: &SessionName) {
    let _ = std::fs::remove_file(brief_file(&context.registry.launch_dir(), name));
}
