//! Signals that end the program.

/// Until the system asks the program to end.
///
/// # Panics
/// If the system gives no notice of signals.
pub async fn stopped_by_signal() {
    let interrupted = async { tokio::signal::ctrl_c().await.expect("signals can be waited for") };
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        let mut terminated = signal(SignalKind::terminate()).expect("signals can be waited for");
        let mut interrupted = std::pin::pin!(interrupted);
        std::future::poll_fn(|context| {
            if interrupted.as_mut().poll(context).is_ready() {
                return std::task::Poll::Ready(());
            }
            terminated.poll_recv(context).map(|_| ())
        })
        .await;
    }
    #[cfg(not(unix))]
    interrupted.await;
}
