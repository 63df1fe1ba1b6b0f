//! Handing mails to a mail server, by SMTP.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use burgee_domain::people::Email;
use burgee_store::{Store, StoreError};
use lettre::message::header::{ContentType, HeaderName, HeaderValue};
use lettre::message::{Mailbox, Message};
use lettre::transport::smtp;
use lettre::{AsyncSmtpTransport, AsyncTransport, Tokio1Executor};

use super::{Counters, Job, Letter, Outcome};
use crate::app::{link, now};

/// How long one command of the mail server may take.
const WITHIN: Duration = Duration::from_secs(10);

/// When it is tried again after a refusal for now. A person waits for most mails; who tells of an
/// hour's break is better asked again.
const AGAIN: [Duration; 3] = [
    Duration::from_secs(1),
    Duration::from_secs(10),
    Duration::from_secs(60),
];

/// The way to the mail server.
pub struct Post {
    transport: AsyncSmtpTransport<Tokio1Executor>,
    from: Mailbox,
    store: Store,
    public_url: Arc<str>,
    counters: Counters,
}

impl std::fmt::Debug for Post {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Post").finish_non_exhaustive()
    }
}

impl Post {
    /// The way to the server of an address: `smtps://user:password@host` (TLS from the first byte),
    /// `smtp://host?tls=required` (TLS after a greeting), `smtp://host` (none).
    ///
    /// # Errors
    /// The address of the server, or of the sender, is none. Neither is shown: one has a password.
    pub fn new(
        server: &str,
        from: &str,
        store: Store,
        public_url: Arc<str>,
    ) -> anyhow::Result<Self> {
        let transport = AsyncSmtpTransport::<Tokio1Executor>::from_url(server)
            .ok()
            .context("--smtp-url: give an address such as smtps://user:password@host")?;
        let from = from.parse::<Mailbox>();
        let from = from.context("--mail-from: give an address such as Burgee <burgee@host>")?;
        Ok(Self {
            transport: transport.timeout(Some(WITHIN)).build(),
            from,
            store,
            public_url,
            counters: Counters::default(),
        })
    }

    /// How many were sent and were not.
    pub fn counters(&self) -> &Counters {
        &self.counters
    }

    /// Does a job, and says what became of it in the log and the counters.
    pub(super) async fn deliver(&self, job: Job) {
        let letter = match job {
            Job::Letter(letter) => letter,
            Job::Reset(email) => match self.reset(&email).await {
                Ok(Some(letter)) => letter,
                Ok(None) => return,
                Err(error) => {
                    tracing::warn!(%error, "a link for a new password was not made");
                    return self.counters.note(Outcome::Failed);
                }
            },
        };
        let outcome = self.send(&letter).await;
        self.counters.note(outcome);
    }

    /// The letter for whoever asked for a new password; none where there is no such account.
    async fn reset(&self, email: &Email) -> Result<Option<Letter>, StoreError> {
        let Some(account) = self.store.account_by_email(email).await? else {
            return Ok(None);
        };
        let text = self.store.own_reset_link(&account, now()).await?;
        let link = link(&self.public_url, &text);
        Ok(Some(Letter::reset(&account.email, &link)))
    }

    async fn send(&self, letter: &Letter) -> Outcome {
        let message = match self.message(letter) {
            Ok(message) => message,
            Err(error) => {
                tracing::warn!(%error, subject = letter.subject, "a mail cannot be written");
                return Outcome::Failed;
            }
        };
        let mut again = AGAIN.iter();
        loop {
            let error = match self.transport.send(message.clone()).await {
                Ok(_) => return Outcome::Sent,
                Err(error) => error,
            };
            match again.next().filter(|_| may_pass(&error)) {
                Some(wait) => {
                    tracing::info!(%error, subject = letter.subject, "a mail is tried again");
                    self.counters.note(Outcome::Retried);
                    tokio::time::sleep(*wait).await;
                }
                None => {
                    tracing::warn!(%error, subject = letter.subject, "a mail was not sent");
                    return Outcome::Failed;
                }
            }
        }
    }

    fn message(&self, letter: &Letter) -> anyhow::Result<Message> {
        let automatic = HeaderName::new_from_ascii_str("Auto-Submitted");
        let message = Message::builder()
            .from(self.from.clone())
            .to(Mailbox::new(None, letter.to.parse()?))
            .subject(letter.subject)
            // RFC 3834: nobody's holiday answers it.
            .raw_header(HeaderValue::new(automatic, "auto-generated".to_owned()))
            .header(ContentType::TEXT_PLAIN);
        Ok(message.body(letter.text.clone())?)
    }
}

/// Whether the same mail may be taken later.
fn may_pass(error: &smtp::Error) -> bool {
    !error.is_permanent() && !error.is_client()
}
