//! Environment of a session: that of the caller, with the account that the session was started in.
//!
//! Every lookup of an adapter uses it. The files of a running session are looked up in the account in which its
//! harness runs. A session that is started again keeps its account, and a caller with a different environment is
//! told.

use std::{borrow::Cow, path::Path};

use harness::{
    Adapter, Harness, Place, Spawned,
    account::{self, Account},
};

use super::Context;
use crate::{
    Surroundings, directive,
    registry::Record,
    variables::{self, Env},
};

/// Environment for a start, with notes for the caller.
#[derive(Debug)]
pub(crate) struct Environment<'a> {
    pub(crate) vars: Cow<'a, Surroundings>,
    pub(super) notes: Vec<String>,
}

impl Context {
    /// Returns the place in which the harness of the last spawn runs or ran.
    pub(crate) fn place<'a>(&'a self, record: &'a Record) -> Place<'a> {
        self.place_in(record, &self.account(record), record.cwd.as_ref())
    }

    /// Returns the place of a session for an account and a directory.
    pub(super) fn place_in<'a>(&'a self, record: &Record, account: &Account, cwd: &'a Path) -> Place<'a> {
        // Order matters: the account overrides the variables of the definition, since the harness actually runs in
        // it.
        let environment = variables::over(&record.env, Cow::Borrowed(self.surroundings.as_ref()));
        self.place_with(account.over(environment), cwd)
    }

    /// Returns the place for an environment and a directory.
    pub(crate) fn place_with<'a>(&'a self, environment: Cow<'a, Surroundings>, cwd: &'a Path) -> Place<'a> {
        Place { environment, cwd, secrets: self.secrets() }
    }

    /// Describes how `env` of a definition changes the account of its session, if it does. In that case the
    /// conversation may be missing where the session starts.
    pub(super) fn moved(&self, adapter: &Adapter, environment: &Surroundings, record: &Record) -> Option<String> {
        let next = Account::of(adapter.account(), environment);
        let recorded = self.account(record);
        let moved = recorded.differences(&next);
        let (id, cwd) = (&record.harness_session_id, record.cwd.as_ref());
        let has =
            |environment| adapter.transcript(&self.place_with(environment, cwd), id).is_some_and(|path| path.exists());
        let before = self.place(record).environment;
        let stays = !moved.is_empty() && has(before) && !has(Cow::Borrowed(environment));
        stays.then(|| {
            let one = moved[0];
            format!(
                "its definition changed its account ({} from {} to {}): conversation {id} stays in the old account, \
                 and a new conversation was started",
                one.key,
                account::shown(one.here),
                account::shown(one.there)
            )
        })
    }

    /// Returns the account of the last spawn. A record without an account was written by an older version or by
    /// another program; the account is then read from the process, if it is alive.
    fn account<'a>(&self, record: &'a Record) -> Cow<'a, Account> {
        let pending = record.pending.as_ref().map(|pending| &pending.account).filter(|account| !account.is_empty());
        let recorded = pending.unwrap_or(&record.account);
        if !recorded.is_empty() {
            return Cow::Borrowed(recorded);
        }
        let Some(process) = record.process.as_ref().filter(|process| process.is_alive()) else {
            return Cow::default();
        };
        let variables = self.harness(&record.harness).map_or(account::ALL, |adapter| adapter.account());
        Cow::Owned(Account::of_process(variables, process.pid, &record.loop_id).unwrap_or_default())
    }

    /// Records the account that a harness actually runs in: its command may set variables of its own.
    pub(super) fn note_account(record: &mut Record, adapter: &dyn Harness) {
        let Some(pid) = record.process.as_ref().map(|process| process.pid) else { return };
        let spawned = Spawned {
            opening: &directive::opening(&record.name),
            pid: Some(pid),
            loop_id: &record.loop_id,
            since: &record.spawned_at,
            known: &record.harness_session_id,
            thorough: true,
        };
        let of = |pid| Account::of_process(adapter.account(), pid, &record.loop_id);
        let runs_it = |pid: &u32| process::runs(*pid, adapter.program());
        let harness = spawned.processes().filter(runs_it).filter_map(of);
        // A wrapper with the same name may precede the harness; in that case the harness is the process with other
        // values.
        let found = harness.reduce(|first, next| if first == record.account { next } else { first });
        if let Some(account) = found.or_else(|| of(pid)) {
            record.account = account;
        }
    }

    /// Records the account of a harness that an older version started, while its process is alive. True if it did.
    pub(super) fn learn_account(&self, record: &mut Record, pid: Option<u32>) -> bool {
        if pid.is_none() || !record.account.is_empty() || record.of_another_program() {
            return false;
        }
        if let Ok(adapter) = self.harness(&record.harness) {
            Self::note_account(record, adapter.as_ref());
        }
        !record.account.is_empty()
    }

    /// Returns the environment for the next start of a session, or the reason why it must not be started.
    pub(crate) fn environment_to_start(
        &self,
        adapter: &Adapter,
        env: &Env,
        cwd: &Path,
        record: Option<&Record>,
    ) -> Result<Environment<'_>, String> {
        let sets = adapter.sets();
        let defined = |environment| variables::over(&sets, variables::over(env, environment));
        let caller = Cow::Borrowed(self.surroundings.as_ref());
        let Some(record) = record else { return Ok(Environment { vars: defined(caller), notes: Vec::new() }) };
        let recorded = self.account(record);
        let callers = Account::of(adapter.account(), &self.surroundings);
        let mut differing = recorded.differences(&callers);
        // Variables set by the definition or the command are intended.
        differing.retain(|one| !env.contains_key(one.key) && !sets.contains_key(one.key));
        let gone: Vec<_> =
            differing.iter().filter(|one| one.here.is_some_and(|path| !cwd.join(path).exists())).collect();
        if let Some(one) = gone.first() {
            let id = &record.harness_session_id;
            let here = self.place_with(defined(caller.clone()), cwd);
            if id.is_empty() || adapter.transcript(&here, id).is_some_and(|path| path.exists()) {
                let note = format!(
                    "it was started in another account ({} was {}, which no longer exists), and now runs in yours",
                    one.key,
                    account::shown(one.here)
                );
                return Ok(Environment { vars: defined(caller), notes: vec![note] });
            }
            return Err(format!(
                "its account is missing: it was started with {} set to {}, which does not exist, and its \
                 conversation {id} is not in your account ({} is {}): restore the directory, or set `env` in its \
                 declaration",
                one.key,
                account::shown(one.here),
                one.key,
                account::shown(one.there)
            ));
        }
        let notes = differing.iter().map(|one| {
            format!(
                "it keeps the account it was started in: {} is {} for the session and {} for you",
                one.key,
                account::shown(one.here),
                account::shown(one.there)
            )
        });
        let notes = notes.collect();
        Ok(Environment { vars: defined(recorded.over(caller)), notes })
    }
}
