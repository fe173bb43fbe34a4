//! Creates a session.

use leptos::prelude::*;

use super::{Answer, Failure};
use crate::create_form::CreateForm;

/// Creates a session, and starts it unless told otherwise.
#[server(name = CreateStanding, prefix = "/app", endpoint = "standing/create")]
pub async fn create(
    /// The submitted form.
    #[server(default)]
    form: CreateForm,
) -> Result<Answer, Failure> {
    use engine::StandingApi as _;

    use super::{messages, reply};
    use crate::notices::{Draft, Notice, Place, Tone};

    let context = reply::context();
    let typed = form.clone();
    let request = form.into_request();
    let mistakes = match &request {
        Ok(request) => mistakes(&context, request.clone()).await,
        Err(_) => Vec::new(),
    };
    if !mistakes.is_empty() {
        let told: Vec<&str> = mistakes.iter().map(|mistake| mistake.text.as_str()).collect();
        let refused = ::standing::Error::InvalidRequest(told.join("; "));
        let draft = Some(Draft::Create(Box::new(typed)));
        return reply::send(&context, Notice { draft, ..Notice::of_mistakes(mistakes) }, Err(refused));
    }
    let created = match request {
        Ok(request) => context.engine().create(&request).await,
        Err(clash) => Err(clash),
    };
    let mut notice = match &created {
        Ok(report) if report.ok => {
            messages::report(report, wire::ControlVerb::Start, Place::Session(typed.name.clone()))
        }
        Ok(report) => messages::report(report, wire::ControlVerb::Start, Place::Create),
        Err(error) => Notice::refused(error, Place::Create),
    };
    if notice.tone == Tone::Failed {
        notice.draft = Some(Draft::Create(Box::new(typed)));
    }
    reply::send(&context, notice, created.map(Answer::Report))
}

/// Returns all mistakes of a request; none if the config is invalid, since the core's own refusal says more then.
#[cfg(feature = "ssr")]
async fn mistakes(context: &crate::AppContext, request: wire::CreateRequest) -> Vec<::standing::Mistake> {
    let found = context.engine().read(move |the_loop| the_loop.standing().mistakes(&request)).await;
    found.unwrap_or_default()
}

#[cfg(feature = "ssr")]
impl CreateForm {
    /// Converts the form to a request for the core.
    fn into_request(self) -> Result<wire::CreateRequest, ::standing::Error> {
        use super::reply::plain_lines;
        use crate::create_form::ArgsChoice;

        let args: Vec<String> = plain_lines(&self.args).lines().filter(|a| !a.is_empty()).map(str::to_owned).collect();
        let harness_args = match (self.args_from, args.is_empty()) {
            (ArgsChoice::Inherit, true) => None,
            (ArgsChoice::None, false) => {
                return Err(::standing::Error::InvalidRequest(
                    "arguments are given, but `None` is selected: clear them or select `Custom`".to_owned(),
                ));
            }
            (ArgsChoice::Inherit | ArgsChoice::These, false) | (ArgsChoice::None | ArgsChoice::These, true) => {
                Some(args)
            }
        };
        let env = variables(&plain_lines(&self.env)).map_err(::standing::Error::InvalidRequest)?;
        Ok(wire::CreateRequest {
            name: self.name,
            harness: self.harness,
            harness_args,
            cwd: self.cwd,
            prompt: plain_lines(&self.brief),
            description: self.description,
            auto_start: self.auto_start,
            slack_enabled: self.slack,
            slack_channel: self.slack_channel,
            env,
            secrets: std::collections::BTreeMap::new(),
            start: !self.record_only,
        })
    }
}

/// Parses `NAME=value` lines. A name alone is a variable to unset.
#[cfg(feature = "ssr")]
fn variables(typed: &str) -> Result<std::collections::BTreeMap<String, Option<String>>, String> {
    let mut found = std::collections::BTreeMap::new();
    for line in typed.lines().filter(|line| !line.trim().is_empty()) {
        let (name, value) = match line.split_once('=') {
            Some((name, value)) => (name.trim(), Some(value.to_owned())),
            None => (line.trim(), None),
        };
        if found.insert(name.to_owned(), value).is_some() {
            return Err(format!("the variable `{name}` is set twice: keep one"));
        }
    }
    Ok(found)
}

#[cfg(all(test, feature = "ssr"))]
mod tests {
    use super::*;
    use crate::create_form::ArgsChoice;

    fn args(from: ArgsChoice, typed: &str) -> Result<Option<Vec<String>>, String> {
        let form = CreateForm { args_from: from, args: typed.to_owned(), ..CreateForm::default() };
        form.into_request().map(|request| request.harness_args).map_err(|error| error.to_string())
    }

    #[test]
    fn variables_are_typed_one_a_line() {
        let typed = variables("A=1=2\n\n B = x \nC\n").expect("read");
        let value = |name: &str| typed[name].as_deref();
        assert_eq!((value("A"), value("B"), value("C")), (Some("1=2"), Some(" x "), None));
        assert!(variables("A=1\nA=2").is_err_and(|told| told.contains("`A`")));
    }

    #[test]
    fn left_out_none_and_typed_arguments_stay_apart() {
        assert_eq!(args(ArgsChoice::Inherit, ""), Ok(None));
        assert_eq!(args(ArgsChoice::None, "\r\n"), Ok(Some(vec![])));
        assert_eq!(args(ArgsChoice::These, "--a b\r\n\r\n--c"), Ok(Some(vec!["--a b".into(), "--c".into()])));
        assert_eq!(args(ArgsChoice::Inherit, "--a"), Ok(Some(vec!["--a".into()])));
        assert!(args(ArgsChoice::None, "--a").is_err_and(|told| told.contains("`None`")));
    }
}
