//! What a start will do, worked out and checked before anything is changed.

use std::{
    borrow::Cow,
    path::{Path, PathBuf},
    thread,
    time::Duration,
};

use wire::{SecretSource, SessionName};

use crate::{
    Surroundings,
    account::Account,
    clock,
    definition::{Definition, check_directory},
    directive,
    harness::{Act, Adapter, Fresh, Place, Trust, find_program},
    lifecycle::Context,
    registry::{self, Origin, Pending, Record},
    sockets,
    variables::Secrets,
};

use super::attempt::Conversation;

/// The longest single argument that the kernel takes is 128 KiB; a longer prompt goes by way of a file.
const PROMPT_LIMIT: usize = 120_000;

/// How often trust is added again that another program wrote over.
const TRUSTED_AGAIN: u32 = 10;

/// How long a program that takes no lock may need from its read to its write.
const TRUST_SETTLES: Duration = Duration::from_millis(30);

/// A start that can be made.
pub(super) struct Plan<'a> {
    pub(super) definition: &'a Definition,
    pub(super) adapter: Adapter,
    program: PathBuf,
    brief: String,
    pub(super) cwd: PathBuf,
    /// The environment of the session: its harness is given this one, and everything is looked up in it.
    pub(super) environment: Cow<'a, Surroundings>,
    /// Variables of the caller's that its harness is not given.
    pub(super) left_out: Vec<String>,
    /// What the caller should be told of the environment.
    environment_notes: Vec<String>,
    /// What the caller should be told of the directory.
    note: Option<String>,
    /// Why the recorded conversation is not there in the account that its definition moves it to.
    moved: Option<String>,
    /// Where its secrets come from, every path absolute.
    pub(super) secrets: Secrets,
    /// Why the directory could not be trusted beforehand.
    pub(super) untrusted: Option<String>,
    resume_on_respawn: bool,
}

impl<'a> Plan<'a> {
    /// Works out a start, or says why there can be none.
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
            resume_on_respawn: context.settings().routing.tmux.resume_on_respawn,
        };
        if let Some(record) = record.filter(|record| plan.resumable(Some(record)).is_some() && !record.cwd.is_empty()) {
            // A conversation belongs to the directory it was begun in.
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

    /// Where its secrets come from, looked up now: a start with one that is not there fails before it spawns anything.
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

    /// Takes out variables that name sockets which are not there any more.
    fn leave_out_sockets(&mut self) {
        let gone = sockets::gone(&self.environment);
        // What the definition sets is meant.
        for gone in gone.into_iter().filter(|gone| !self.definition.env.contains_key(&gone.key)) {
            self.environment = Cow::Owned(self.environment.clone().into_owned().without_var(&gone.key));
            let path = gone.path.display();
            self.environment_notes.push(format!("{} was not passed on: its socket {path} no longer exists", gone.key));
            self.left_out.push(gone.key);
        }
    }

    /// Where its harness is to run, for its adapter.
    pub(super) fn place<'b>(&'b self, context: &'b Context) -> Place<'b> {
        context.place_with(Cow::Borrowed(&self.environment), &self.cwd)
    }

    /// What the caller should be told besides.
    pub(super) fn notes(&self) -> Vec<String> {
        let untrusted =
            self.untrusted.iter().map(|error| format!("could not trust its directory in advance ({error})"));
        let told = self.note.iter().chain(&self.environment_notes).chain(&self.moved).cloned();
        told.chain(untrusted).chain(self.adapter.hint()).collect()
    }

    /// Has its harness trust the directory, if that is wanted and missing.
    pub(super) fn trust(&self, context: &Context) -> Result<Trust, String> {
        let settings = context.settings().routing.harness_trust;
        if !settings.enabled {
            return Ok(Trust::Given);
        }
        self.adapter.trust(&self.place(context), &self.definition.harness_args, settings, Act::Write)
    }

    /// Sees to it that what was added stays. A program that takes no lock may have read the file before and written it
    /// after: then the directory is missing again, and is added again.
    pub(super) fn keep_trusted(&self, context: &Context) {
        for _ in 0..TRUSTED_AGAIN {
            match self.trust(context) {
                Ok(Trust::Added) => thread::sleep(TRUST_SETTLES),
                _ => return,
            }
        }
    }

    /// The account that its harness is given.
    pub(super) fn account(&self) -> Account {
        Account::of(self.adapter.account(), &self.environment)
    }

    /// Moves the plan to where a fresh conversation begins, after the recorded one could not be gone on with. True if
    /// that is another place.
    pub(super) fn begin_afresh(&mut self) -> Result<bool, String> {
        check_directory(&self.definition.cwd)?;
        self.note = None;
        let before = std::mem::replace(&mut self.cwd, self.definition.cwd.clone());
        Ok(before != self.cwd)
    }

    /// The recorded conversation, if this start would go on with it.
    pub(super) fn resumable(&self, record: Option<&Record>) -> Option<String> {
        let record = record?;
        let id = &record.harness_session_id;
        let same = record.harness.is_empty() || record.harness == self.definition.harness;
        let can = self.resume_on_respawn && same && !id.is_empty() && self.moved.is_none();
        (can && self.adapter.resume(id, &self.definition.harness_args).is_some()).then(|| id.clone())
    }

    /// The record as it will stand: the whole definition as of this start, and the conversation it had.
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
        // A bound thread stays where it is, whatever channel is configured since.
        if definition.slack_enabled && record.slack_thread.is_empty() {
            record.slack_channel.clone_from(&definition.slack_channel);
        }
        record
    }

    /// The id of a fresh conversation; empty if only its harness will know.
    pub(super) fn new_id(&self, context: &Context) -> Result<String, String> {
        self.adapter.new_id(&self.place(context))
    }

    /// A fresh conversation as this start would hold it.
    pub(super) fn pending(&self, id: &str) -> Pending {
        let (harness, cwd) = (self.definition.harness.clone(), self.cwd.display().to_string());
        Pending { session_id: id.to_owned(), harness, cwd, account: self.account() }
    }

    /// The whole command of a conversation.
    pub(super) fn argv(&self, context: &Context, conversation: &Conversation) -> Result<Vec<String>, String> {
        let args = &self.definition.harness_args;
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

    /// What a fresh conversation is begun with.
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

/// Where a brief that is too long for an argument is read.
fn brief_file(dir: &Path, name: &SessionName) -> PathBuf {
    dir.join(format!("{name}.brief.md"))
}

/// Forgets the brief of a session that is deleted.
pub(crate) fn forget(context: &Context, name: &SessionName) {
    let _ = std::fs::remove_file(brief_file(&context.registry.launch_dir(), name));
}
