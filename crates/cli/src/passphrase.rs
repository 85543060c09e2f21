//! The passphrase that a secret key is encrypted under: of a file, of the environment, or asked for on the terminal.

use std::{
    fs::File,
    io::{IsTerminal, Read},
    path::Path,
};

#[cfg(unix)]
use asanoha::output::Unfinished;
use asanoha::{client::Backup, execute::Keys};
use unicode_normalization::UnicodeNormalization;
use zeroize::Zeroizing;

use crate::{args::PassphraseArgs, error::Failure, files::unreadable};

/// The variable of the environment that holds a passphrase.
const VARIABLE: &str = "ASANOHA_PASSPHRASE";
/// The longest passphrase, in bytes.
const MOST_BYTES: u64 = 1024;
/// How one can be given.
const GIVE: &str = "give it in a file by --passphrase-file, in the variable ASANOHA_PASSPHRASE, or on a terminal, which is asked";

/// A passphrase in UTF-8 and in normal form C, as the Python package has it: what looks the same is the same.
pub(crate) type Passphrase = Zeroizing<Vec<u8>>;

/// The passphrase for a new secret key.
pub(crate) fn new(args: &PassphraseArgs) -> Result<Passphrase, Failure> {
    if let Some(given) = given(args)? {
        return Ok(given);
    }
    let Some(first) = asked("passphrase for the secret key: ")? else {
        let message =
            format!("the secret key needs a passphrase: {GIVE}; --no-passphrase leaves the key readable");
        return Err(Failure::usage(message));
    };
    match asked("the same again: ")? {
        Some(second) if second == first => Ok(first),
        _ => Err(Failure::bad_input("the two passphrases differ: nothing was written; try again")),
    }
}

/// The passphrase of the secret key in a folder, if it's given; `None` too if the key isn't encrypted, or isn't there.
pub(crate) fn if_given(args: &PassphraseArgs, folder: &Path) -> Result<Option<Passphrase>, Failure> {
    match &args.passphrase_file {
        _ if Keys::is_sealed(folder) => given(args),
        None => Ok(None),
        Some(_) => Err(Failure::usage(format!(
            "{}: no secret key there is encrypted under a passphrase: leave out --passphrase-file",
            folder.display()
        ))),
    }
}

/// As [`if_given`], and asks for it where it's needed and not given.
pub(crate) fn of_folder(args: &PassphraseArgs, folder: &Path) -> Result<Option<Passphrase>, Failure> {
    let given = if_given(args, folder)?;
    if given.is_some() || !Keys::is_sealed(folder) {
        return Ok(given);
    }
    let typed = asked(&format!("passphrase of {}: ", folder.display()))?;
    typed.map(Some).ok_or_else(|| {
        Failure::usage(format!("{}: the secret key needs its passphrase: {GIVE}", folder.display()))
    })
}

/// The passphrase of the secret key in a folder of keys that are replaced: of a file of its own, or else that of the new keys where
/// it's given.
pub(crate) fn of_old(
    file: Option<&Path>,
    new: &PassphraseArgs,
    folder: &Path,
) -> Result<Option<Passphrase>, Failure> {
    match file {
        None if Keys::is_sealed(folder) => of_folder(new, folder),
        None => Ok(None),
        Some(path) if Keys::is_sealed(folder) => of_file(path).map(Some),
        Some(_) => Err(Failure::usage(format!(
            "{}: no secret key there is encrypted under a passphrase: leave out --old-passphrase-file",
            folder.display()
        ))),
    }
}

/// The passphrase of a backup; `None` if it isn't encrypted.
pub(crate) fn of_backup(
    args: &PassphraseArgs,
    path: &Path,
    backup: &Backup,
) -> Result<Option<Passphrase>, Failure> {
    let name = path.display();
    if !backup.is_sealed() {
        return match &args.passphrase_file {
            None => Ok(None),
            Some(_) => Err(Failure::usage(format!(
                "{name}: it isn't encrypted under a passphrase: leave out --passphrase-file"
            ))),
        };
    }
    let passphrase = match given(args)? {
        None => asked(&format!("passphrase of {name}: "))?,
        given => given,
    };
    passphrase.map(Some).ok_or_else(|| Failure::usage(format!("{name}: it needs its passphrase: {GIVE}")))
}

/// What the flag or the environment gives.
fn given(args: &PassphraseArgs) -> Result<Option<Passphrase>, Failure> {
    if let Some(path) = &args.passphrase_file {
        return of_file(path).map(Some);
    }
    match std::env::var(VARIABLE) {
        Ok(text) => checked(&Zeroizing::new(text), VARIABLE).map(Some),
        Err(std::env::VarError::NotPresent) => Ok(None),
        Err(std::env::VarError::NotUnicode(_)) => {
            Err(Failure::bad_input(format!("{VARIABLE}: a passphrase is UTF-8 text")))
        }
    }
}

fn of_file(path: &Path) -> Result<Passphrase, Failure> {
    let mut bytes = Zeroizing::new(Vec::with_capacity(MOST_BYTES as usize + 3));
    File::open(path)
        .and_then(|file| file.take(MOST_BYTES + 3).read_to_end(&mut bytes))
        .map_err(|error| unreadable(path, error))?;
    let name = path.display().to_string();
    let text = std::str::from_utf8(&bytes)
        .map_err(|_| Failure::bad_input(format!("{name}: a passphrase is UTF-8 text")))?;
    let line = text.strip_suffix('\n').map_or(text, |line| line.strip_suffix('\r').unwrap_or(line));
    checked(line, &name)
}

/// What is typed on the terminal, which doesn't show it; `None` where there is no terminal.
fn asked(question: &str) -> Result<Option<Passphrase>, Failure> {
    if !std::io::stdin().is_terminal() {
        return Ok(None);
    }
    // Whatever ends the call, the terminal shows what is typed again.
    #[cfg(unix)]
    let _terminal = as_it_was()?;
    match rpassword::prompt_password(question) {
        Ok(text) => checked(&Zeroizing::new(text), "the terminal").map(Some),
        Err(error) => Err(Failure::bad_input(format!("the terminal gives no passphrase: {error}"))),
    }
}

/// Gives the terminal its settings back when this is dropped, and when the call is interrupted.
#[cfg(unix)]
fn as_it_was() -> Result<Unfinished, Failure> {
    use rustix::termios::{OptionalActions, tcgetattr, tcsetattr};

    let made = Unfinished::begin(|| {
        let settings = tcgetattr(std::io::stdin())?;
        Ok(((), move || {
            // A terminal that's gone needs none.
            let _ = tcsetattr(std::io::stdin(), OptionalActions::Now, &settings);
        }))
    });
    made.map(|((), terminal)| terminal)
        .map_err(|error| Failure::bad_input(format!("the terminal gives no passphrase: {error}")))
}

fn checked(text: &str, place: &str) -> Result<Passphrase, Failure> {
    let refused = |why: &str| Err(Failure::bad_input(format!("{place}: {why}")));
    match text.len() as u64 {
        0 => refused("an empty passphrase hides nothing"),
        bytes if bytes > MOST_BYTES => refused("a passphrase has at most 1024 bytes"),
        _ if text.contains(['\n', '\r', '\0']) => refused("a passphrase is one line of text"),
        // Normal form C is at most three times as long.
        bytes => {
            let mut normal = Zeroizing::new(String::with_capacity(3 * bytes as usize));
            normal.extend(text.nfc());
            Ok(Zeroizing::new(std::mem::take(&mut *normal).into_bytes()))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Result<Vec<u8>, String> {
        checked(text, "x").map(|it| it.to_vec()).map_err(|failure| failure.message)
    }

    #[test]
    fn what_looks_the_same_is_the_same() {
        assert_eq!(of("Stra\u{df}e e\u{301}"), Ok("Stra\u{df}e \u{e9}".as_bytes().to_vec()));
        assert_eq!(of(" a b "), Ok(b" a b ".to_vec()));
        assert_eq!(of(&"x".repeat(1024)).unwrap().len(), 1024);
        // The character that grows most.
        assert_eq!(of("\u{1d160}").unwrap(), "\u{1d158}\u{1d165}\u{1d16e}".as_bytes());
    }

    #[test]
    fn empty_long_and_broken_ones_are_refused() {
        for (text, says) in [("", "hides nothing"), ("a\nb", "one line"), ("a\0b", "one line")] {
            assert!(of(text).unwrap_err().contains(says), "{text:?}");
        }
        assert!(of(&"x".repeat(1025)).unwrap_err().contains("1024"));
    }
}
