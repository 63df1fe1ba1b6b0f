//! Which addresses are asked.

use std::net::IpAddr;

use url::{Host, Url};

/// The longest address, in bytes.
const LONGEST: usize = 2_000;

/// Why an address is not asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AddressError {
    /// It is no address.
    #[error("give an address such as https://id.example.com, of at most {LONGEST} bytes")]
    Form,
    /// It is not HTTPS.
    #[error(
        "give an address that begins with https:// (http:// is for a provider on this machine, \
         where this server is reached by http too)"
    )]
    Plain,
    /// It holds a name or a password, or a fragment.
    #[error("give an address without a name, a password or a fragment")]
    Parts,
    /// It is one of no server.
    #[error("this address is one of no server")]
    Refused,
}

/// Reads an address that may be asked. `plain`: whether this machine may be asked without TLS.
///
/// # Errors
/// It is none, or none that may.
pub fn checked(text: &str, plain: bool) -> Result<Url, AddressError> {
    if text.len() > LONGEST {
        return Err(AddressError::Form);
    }
    let url = Url::parse(text).map_err(|_| AddressError::Form)?;
    let address = match url.host().ok_or(AddressError::Form)? {
        Host::Domain(_) => None,
        Host::Ipv4(address) => Some(IpAddr::from(address)),
        Host::Ipv6(address) => Some(IpAddr::from(address)),
    };
    let here = address.map_or(url.host_str() == Some("localhost"), |it| it.is_loopback());
    match url.scheme() {
        "https" => {}
        "http" if plain && here => {}
        _ => return Err(AddressError::Plain),
    }
    if !url.username().is_empty() || url.password().is_some() || url.fragment().is_some() {
        return Err(AddressError::Parts);
    }
    match address.is_none_or(|it| may_be_asked(it, url.scheme() == "http")) {
        true => Ok(url),
        false => Err(AddressError::Refused),
    }
}

/// Whether a server can be there, and one that is anybody's business. What answers at link-local
/// addresses are the machine's own services (169.254.169.254). `plain`: without TLS, only this
/// machine.
pub(super) fn may_be_asked(address: IpAddr, plain: bool) -> bool {
    let address = address.to_canonical();
    let local = match address {
        IpAddr::V4(address) => address.is_link_local() || address.is_broadcast(),
        IpAddr::V6(address) => address.is_unicast_link_local(),
    };
    let nobody = local || address.is_unspecified() || address.is_multicast();
    !nobody && (!plain || address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_https_and_this_machine_where_it_is_reached_so() {
        let ask = |text, plain| checked(text, plain).map(|_| ());
        assert_eq!(ask("https://id.example.com/realms/x", false), Ok(()));
        assert_eq!(ask("https://10.0.0.7:8443", false), Ok(()));
        for here in [
            "http://127.0.0.1:1",
            "http://localhost:1/a",
            "http://[::1]:1",
        ] {
            assert_eq!(ask(here, true), Ok(()), "{here}");
            assert_eq!(ask(here, false), Err(AddressError::Plain), "{here}");
        }
        for plain in [
            "http://id.example.com",
            "http://localhost.evil.org",
            "file:///etc/passwd",
        ] {
            assert!(ask(plain, true).is_err(), "{plain}");
        }
        for odd in ["", "id.example.com", "https://", "https://a b"] {
            assert_eq!(ask(odd, true), Err(AddressError::Form), "{odd}");
        }
        for parts in ["https://a:b@x.org", "https://x.org/#a"] {
            assert_eq!(ask(parts, false), Err(AddressError::Parts), "{parts}");
        }
    }

    #[test]
    fn what_clouds_answer_for_themselves_is_not_asked() {
        for refused in [
            "https://169.254.169.254/latest",
            "https://[fe80::1]",
            "https://0.0.0.0",
            "https://[::ffff:169.254.169.254]",
            "https://224.0.0.1",
        ] {
            assert!(checked(refused, true).is_err(), "{refused}");
        }
        let metadata = "169.254.169.254".parse().unwrap();
        assert!(
            !may_be_asked(metadata, false),
            "nor where a name leads there"
        );
        assert!(!may_be_asked("192.0.2.1".parse().unwrap(), true));
    }
}
