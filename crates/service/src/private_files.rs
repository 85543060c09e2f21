//! Files of their owner alone.

use std::fs::OpenOptions;

/// Lets a new file be read by its owner alone.
pub(crate) fn private_options(options: &mut OpenOptions) -> &mut OpenOptions {
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(options, 0o600);
    options
}
