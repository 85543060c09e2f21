//! The commands: each reads its input, works, and returns a report.

mod bench;
mod decrypt;
mod encrypt;
mod evaluate;
mod genome;
mod info;
mod inspect;
mod keygen;
mod keys;
mod plan;
mod planning;
mod reencrypt;
mod run;
#[cfg(feature = "http")]
mod service;
mod triples;

use std::{process::ExitCode, time::Instant};

use asanoha::{
    data::{edit_distance, nearest},
    output::{complete, pause},
};
use clap::{CommandFactory, Parser, error::ErrorKind};

#[cfg(unix)]
use crate::interrupt;
use crate::{
    args::{Arguments, Command},
    error::{self, Failure},
    report,
    session::Session,
};

/// Parses the flags, runs the command and prints its report; returns the exit code.
pub(crate) fn main() -> ExitCode {
    // Also of flags that can't be taken.
    if std::env::args_os().any(|argument| argument == "--json") {
        error::in_json();
    }
    match arguments().and_then(|arguments| arguments.map_or(Ok(()), |arguments| carry_out(&arguments))) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            failure.tell();
            failure.kind.code()
        }
    }
}

/// What a call without arguments prints.
const FIRST_COMMANDS: &str = "\
asanoha computes on encrypted data. Three commands to try in its repository:

  asanoha run examples/risk.asa --data examples/data/diabetes.csv       computes encrypted, and checks the results
  asanoha plan examples/invoice.asa --data examples/data/invoice.csv    compares the schemes, with their costs
  asanoha info                                                          shows what this machine can do

asanoha --help lists all commands.
";

/// The flags; `None` if the help or the version was asked for and printed, or nothing was asked for.
fn arguments() -> Result<Option<Arguments>, Failure> {
    if std::env::args_os().len() <= 1 {
        report::print(FIRST_COMMANDS)?;
        return Ok(None);
    }
    match Arguments::try_parse() {
        Ok(arguments) => Ok(Some(arguments)),
        Err(error) if matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion) => {
            let _ = error.print();
            Ok(None)
        }
        Err(error) if error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            Err(Failure::usage("no command is given; asanoha --help lists them"))
        }
        #[cfg(not(feature = "http"))]
        Err(error) if is_of_http(&error) => Err(Failure::without_http()),
        Err(error) => Err(Failure::usage(one_line(&error.render().to_string()))),
    }
}

/// Whether a command is unknown that a build with HTTP has.
#[cfg(not(feature = "http"))]
fn is_of_http(error: &clap::Error) -> bool {
    use clap::error::{ContextKind, ContextValue};

    let Some(ContextValue::String(name)) = error.get(ContextKind::InvalidSubcommand) else { return false };
    ["serve", "tokens", "remote"].contains(&name.as_str())
}

/// An error of the flags as one line: what is wrong, what was meant, and the help of the command that was called.
fn one_line(text: &str) -> String {
    let text = text.strip_prefix("error: ").unwrap_or(text);
    let end = ["\nUsage:", "\nFor more information"].iter().filter_map(|end| text.find(end)).min();
    let lines = text[..end.unwrap_or(text.len())].lines().map(str::trim).filter(|line| !line.is_empty());
    let (tips, wrong): (Vec<&str>, Vec<&str>) = lines.partition(|line| line.starts_with("tip: "));
    let calls = Arguments::command();
    let called = std::env::args().skip(1).find(|argument| !argument.starts_with('-'));
    let known = called.as_deref().and_then(|name| calls.find_subcommand(name));
    let mut line = wrong.join(" ");
    if let (None, Some(called)) = (known, &called) {
        let names: Vec<String> =
            calls.get_subcommands().map(|command| command.get_name().to_owned()).collect();
        let nearest = nearest(called, &names).first().map(|name| (*name).to_owned());
        let is_near = |name: &String| edit_distance(called, name) <= 2.min(called.chars().count() / 2);
        line += &nearest.filter(is_near).map_or_else(String::new, |name| format!("; did you mean `{name}`?"));
    } else {
        for tip in tips {
            let meant =
                tip.strip_prefix("tip: a similar argument exists: '").and_then(|it| it.strip_suffix('\''));
            let meant = meant.or_else(|| {
                tip.strip_prefix("tip: a similar value exists: '").and_then(|it| it.strip_suffix('\''))
            });
            line += &meant.map_or_else(|| format!("; {tip}"), |meant| format!("; did you mean `{meant}`?"));
        }
    }
    if wrong.first().is_some_and(|first| {
        first.starts_with("unexpected argument '") && !first.starts_with("unexpected argument '-")
    }) {
        line += "; files are named by flags, such as --plan F.json";
    }
    let command = known.map_or_else(String::new, |command| format!("{} ", command.get_name()));
    format!("{line}; see `asanoha {command}--help`")
}

fn carry_out(arguments: &Arguments) -> Result<(), Failure> {
    match &arguments.command {
        Command::Completions(shell) => {
            let mut text = Vec::new();
            clap_complete::generate(shell.shell, &mut Arguments::command(), "asanoha", &mut text);
            return report::print(text);
        }
        Command::Man => return report::print(manual()),
        _ => {}
    }
    let started = Instant::now();
    let session = Session::open(&arguments.common)?;
    // The server ends by itself when it's told to stop.
    if !is_server(&arguments.command) {
        #[cfg(unix)]
        interrupt::remove_files_on_signals()?;
        session.limits.watch(started);
        pause(|| "listening".to_owned());
    }
    let report = session.on_threads(|| match &arguments.command {
        Command::Run(args) => run::run(&session, args),
        Command::Plan(args) => plan::plan(&session, args),
        Command::Keygen(args) => keygen::keygen(&session, args),
        Command::Keys(command) => keys::keys(&session, command),
        #[cfg(feature = "http")]
        Command::Serve(args) => service::serve(&session, args),
        #[cfg(feature = "http")]
        Command::Tokens(command) => service::tokens(command),
        #[cfg(feature = "http")]
        Command::Remote(command) => service::remote(&session, command),
        Command::Encrypt(args) => encrypt::encrypt(&session, args),
        Command::Evaluate(args) => evaluate::evaluate(&session, args),
        Command::Decrypt(args) => decrypt::decrypt(&session, args),
        Command::Reencrypt(args) => reencrypt::reencrypt(&session, args),
        Command::Inspect(args) => inspect::inspect(&session, args),
        Command::Triples(command) => triples::triples(&session, command),
        Command::Genome(command) => genome::genome(&session, command),
        Command::Bench(args) => bench::bench(&session, args),
        Command::Info => Ok(info::info(&session)),
        Command::Completions(_) | Command::Man => unreachable!("answered above"),
    });
    // What a signal interrupts is the work: what came of it is reported as a whole.
    complete();
    pause(|| "reporting".to_owned());
    report?.print(session.json)
}

fn is_server(command: &Command) -> bool {
    match command {
        #[cfg(feature = "http")]
        Command::Genome(crate::args::GenomeCommand::Serve(_)) | Command::Serve(_) => true,
        _ => false,
    }
}

/// The man page of the program and, below it, of each command.
fn manual() -> Vec<u8> {
    let mut command = Arguments::command();
    command.build();
    let mut text = Vec::new();
    let mut commands = vec![&command];
    while let Some(command) = commands.pop() {
        let written = clap_mangen::Man::new(command.clone()).render(&mut text);
        written.expect("memory can be written to");
        let below: Vec<_> =
            command.get_subcommands().filter(|command| command.get_name() != "help").collect();
        commands.extend(below.iter().rev());
    }
    text
}
