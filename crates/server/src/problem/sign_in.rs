//! What goes wrong while somebody shows who they are.

use axum::http::StatusCode;

use super::Problem;

impl Problem {
    /// 401: no token, or none that is valid.
    pub fn unauthorized(detail: &str) -> Self {
        Self::new(StatusCode::UNAUTHORIZED, "unauthorized", detail)
    }

    /// 401: not an address and a password that go together, or not the code.
    pub fn bad_credentials() -> Self {
        let detail = "this is not the address and password of an account, or not its code now";
        Self::new(StatusCode::UNAUTHORIZED, "badCredentials", detail)
    }

    /// Whether it is [`Self::bad_credentials`].
    pub fn is_bad_credentials(&self) -> bool {
        self.code == "badCredentials"
    }

    /// 401: the password is right; a code of the second factor is needed too.
    pub fn code_needed() -> Self {
        let detail = "send the code of the second factor, or a recovery code, too";
        Self::new(StatusCode::UNAUTHORIZED, "codeNeeded", detail)
    }

    /// 403: the password must be changed first.
    pub fn password_must_change() -> Self {
        let detail = "change your password first (POST /api/v1/me/password)";
        Self::new(StatusCode::FORBIDDEN, "passwordMustChange", detail)
    }

    /// 403: the organization asks for a second factor.
    pub fn second_factor_needed() -> Self {
        let detail = "this organization asks for a second factor; set one up \
                      (PUT /api/v1/me/second-factor)";
        Self::new(StatusCode::FORBIDDEN, "secondFactorNeeded", detail)
    }

    /// 403: the organization takes no sessions that began with a password.
    pub fn single_sign_on_needed() -> Self {
        let detail = "this organization's members sign in by its provider \
                      (GET /api/v1/session/oidc/{organization})";
        Self::new(StatusCode::FORBIDDEN, "singleSignOnNeeded", detail)
    }

    /// 401: there is no sign-in under way to which this is the answer.
    pub fn sign_in_expired() -> Self {
        let detail = "this sign-in was not begun in this browser, or too long ago; begin again";
        Self::new(StatusCode::UNAUTHORIZED, "signInExpired", detail)
    }

    /// 401: the provider refused the sign-in.
    pub fn sign_in_refused(why: &str) -> Self {
        let detail = format!("the provider did not sign you in: {why}");
        Self::new(StatusCode::UNAUTHORIZED, "signInRefused", detail)
    }

    /// 401: what the provider says proves nothing.
    pub fn id_token_invalid(why: &str) -> Self {
        let detail = format!("what the provider says is not good: {why}");
        Self::new(StatusCode::UNAUTHORIZED, "idTokenInvalid", detail)
    }

    /// 403: the provider signed somebody in who has no account here.
    pub fn not_signed_on(code: &str, detail: &str) -> Self {
        Self::new(StatusCode::FORBIDDEN, code, detail)
    }

    /// 502: the provider cannot be asked, or does not answer as it must. Log it before.
    pub fn provider_failed() -> Self {
        let detail = "the provider does not answer as it must; the server's log says how";
        Self::new(StatusCode::BAD_GATEWAY, "providerFailed", detail)
    }

    /// 501: the server sends no mail.
    pub fn no_mail() -> Self {
        let detail = "this server was started without --smtp-url; ask an owner of your \
                      organization for a link";
        Self::new(StatusCode::NOT_IMPLEMENTED, "mailMissing", detail)
    }

    /// 501: the server has no key to seal secrets with.
    pub fn no_instance_key() -> Self {
        let detail = "this server was started without --instance-key-file, so it keeps no second \
                      factors and no providers of sign-in";
        Self::new(StatusCode::NOT_IMPLEMENTED, "instanceKeyMissing", detail)
    }

    /// 429 with `Retry-After`: too many attempts failed; the next one counts after `millis` ms.
    pub fn wait(millis: i64) -> Self {
        let seconds = (millis.max(0) + 999) / 1_000;
        let detail = format!("too many attempts failed; try again in {seconds} s");
        let mut problem = Self::new(StatusCode::TOO_MANY_REQUESTS, "tooManyAttempts", detail);
        problem.retry_after = Some(seconds);
        problem
    }
}
