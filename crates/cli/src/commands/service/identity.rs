//! The certificate of a server, and its first words.

use std::{
    io::Write,
    path::Path,
    pin::{Pin, pin},
    task::Poll,
};

use asanoha::http::{Identity, stopped_by_signal};

use crate::{
    args::TlsArgs,
    error::Failure,
    files::{check_writable, read_small},
    target::check_apart,
};

/// The certificate that is given, or one that is made, which others are to be told as PEM.
pub(in crate::commands) fn identity(
    args: &TlsArgs,
    reads: &[&Path],
) -> Result<Option<(Identity, Option<String>)>, Failure> {
    if let Some((certificate, key)) = args.certificate.as_deref().zip(args.key.as_deref()) {
        return Ok(Some((Identity::from_pem(&read_small(certificate)?, read_small(key)?)?, None)));
    }
    let Some(path) = &args.own_certificate else { return Ok(None) };
    check_writable(path)?;
    check_apart(path, reads)?;
    let mut names = args.names.clone();
    if names.is_empty() {
        let address = args.listen.ip();
        if address.is_unspecified() {
            return Err(Failure::bad_input(format!(
                "{address} is no address that clients use: name theirs for the certificate by --name HOST"
            )));
        }
        names.push(address.to_string());
    }
    let (identity, pem) = Identity::own(names)?;
    Ok(Some((identity, Some(pem))))
}

/// Until the system asks the program to end. The server's address is told once signals are waited for.
pub(in crate::commands) async fn announced(address: String) {
    let mut stop: Pin<&mut _> = pin!(stopped_by_signal());
    let mut is_told = false;
    std::future::poll_fn(move |context| -> Poll<()> {
        // The first poll asks for signals: one that comes after the address is told stops the server in good order.
        let stopped = stop.as_mut().poll(context);
        if !std::mem::replace(&mut is_told, true) {
            // If stderr is closed, nobody waits for the address.
            let _ = writeln!(std::io::stderr(), "listening at {address}");
        }
        stopped
    })
    .await;
}
