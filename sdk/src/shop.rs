use std::{fmt, net::IpAddr, str::FromStr};

use url::Url;

/// The domain of a shop: `name.myshopify.com` and nothing else.
///
/// Strict on purpose: the access token is sent there. A scheme, a port, a path, user names, other
/// hosts and look-alikes are refused.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ShopDomain(String);

/// Why a text is not the domain of a shop.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{given:?} is not a shop's domain: it must be of the form `name.myshopify.com`")]
pub struct ShopDomainError {
    given: String,
}

impl ShopDomain {
    /// The domain, in lower case.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for ShopDomain {
    type Err = ShopDomainError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let domain = text.to_ascii_lowercase();
        let name = domain.strip_suffix(".myshopify.com").unwrap_or_default();
        let letters = name
            .bytes()
            .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-');
        let ends = !name.starts_with('-') && !name.ends_with('-');
        if letters && ends && (1..=63).contains(&name.len()) {
            Ok(Self(domain))
        } else {
            let given = text.chars().take(100).collect();
            Err(ShopDomainError { given })
        }
    }
}

impl fmt::Display for ShopDomain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Why a text is not taken as an endpoint. What was given is shown without a password.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EndpointError {
    /// Not a URL.
    #[error("{given:?} is not an endpoint: it must begin with {BEGINS}")]
    Invalid {
        /// What was given.
        given: String,
        /// What is wrong with it.
        source: url::ParseError,
    },
    /// Neither `https`, nor `http` to this machine.
    #[error("{0:?} is not an endpoint: it must begin with {BEGINS}")]
    Insecure(String),
    /// A port on another machine.
    #[error("{0:?} is not an endpoint: only one on a loopback address may name a port")]
    Port(String),
    /// A user name, password, query or fragment.
    #[error("{0:?} is not an endpoint: it may have no user name, password, query or fragment")]
    Extras(String),
}

const BEGINS: &str =
    "`https://`, or with `http://` and a loopback address, as `http://127.0.0.1:4010`";

/// A URL, or what was given for one, as it may be shown: without user and password, and without a
/// query.
pub(crate) fn shown(url: &str) -> String {
    const SHOWN: usize = 100;
    let (user, rest) = url.rsplit_once('@').unwrap_or(("", url));
    let rest = rest.split_once('?').map_or(rest, |(rest, _)| rest);
    let scheme = user.split_once("://").map_or("", |(scheme, _)| scheme);
    let hidden = match (user, scheme) {
        ("", _) => String::new(),
        (_, "") => "…@".to_owned(),
        (_, scheme) => format!("{scheme}://…@"),
    };
    hidden.chars().chain(rest.chars()).take(SHOWN).collect()
}

/// Checks the URL of a test server or proxy; a bare host gets the API's usual path.
pub(crate) fn endpoint(text: &str, version: &str) -> Result<Url, EndpointError> {
    let mut url = Url::parse(text).map_err(|source| EndpointError::Invalid {
        given: shown(text),
        source,
    })?;
    let here = url.host_str().is_some_and(is_here);
    if url.scheme() != "https" && !(here && url.scheme() == "http") {
        return Err(EndpointError::Insecure(shown(text)));
    }
    if url.port().is_some() && !here {
        return Err(EndpointError::Port(shown(text)));
    }
    let credentials = !url.username().is_empty() || url.password().is_some();
    if credentials || url.query().is_some() || url.fragment().is_some() {
        return Err(EndpointError::Extras(shown(text)));
    }
    if url.path() == "/" {
        url.set_path(&path(version));
    }
    Ok(url)
}

/// Whether a host, as it stands in a URL, is this machine.
pub(crate) fn is_here(host: &str) -> bool {
    let address = host.trim_start_matches('[').trim_end_matches(']');
    let address = address.parse::<IpAddr>();
    host == "localhost" || address.is_ok_and(|address| address.is_loopback())
}

/// The path of the API on a shop's domain.
pub(crate) fn path(version: &str) -> String {
    format!("/admin/api/{version}/graphql.json")
}

/// An API version: `YYYY-MM` of a quarter, or `unstable`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ApiVersion(String);

/// Why a text is not an API version.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{given:?} is not an API version: it must be like `2026-10` (January, April, July or October), or `unstable`"
)]
pub struct ApiVersionError {
    given: String,
}

impl ApiVersion {
    /// The version, as it stands in the path.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for ApiVersion {
    type Err = ApiVersionError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let quarter = text.split_once('-').is_some_and(|(year, month)| {
            year.len() == 4
                && year.bytes().all(|byte| byte.is_ascii_digit())
                && matches!(month, "01" | "04" | "07" | "10")
        });
        if quarter || text == "unstable" {
            Ok(Self(text.to_owned()))
        } else {
            let given = text.chars().take(100).collect();
            Err(ApiVersionError { given })
        }
    }
}

impl fmt::Display for ApiVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::{ApiVersion, ShopDomain, endpoint};

    #[test]
    fn takes_shops_and_nothing_else() {
        for good in [
            "a.myshopify.com",
            "My-Shop.myshopify.com",
            "0-1.MYSHOPIFY.COM",
        ] {
            let parsed = good.parse::<ShopDomain>().expect(good);
            assert_eq!(parsed.as_str(), good.to_ascii_lowercase());
        }
        for bad in [
            "",
            "my-shop",
            ".myshopify.com",
            "-a.myshopify.com",
            "a-.myshopify.com",
            "a.b.myshopify.com",
            "https://a.myshopify.com",
            "a.myshopify.com/",
            "a.myshopify.com:443",
            "a.myshopify.com.evil.example",
            "evil.example#.myshopify.com",
            "evil.example/.myshopify.com",
            "user@a.myshopify.com",
            "a.myshopify.com\r\nhost: x",
            " a.myshopify.com",
            "ä.myshopify.com",
            "a.myshopify.comm",
            "a_b.myshopify.com",
            &format!("{}.myshopify.com", "a".repeat(64)),
        ] {
            assert!(bad.parse::<ShopDomain>().is_err(), "{bad:?}");
        }
    }

    #[test]
    fn takes_endpoints_over_tls_or_on_this_machine() {
        let url = |text| endpoint(text, "2026-10").map(String::from);
        let path = "/admin/api/2026-10/graphql.json";
        assert_eq!(
            url("http://127.0.0.1:81"),
            Ok(format!("http://127.0.0.1:81{path}"))
        );
        assert_eq!(url("http://[::1]:81/x"), Ok("http://[::1]:81/x".to_owned()));
        assert_eq!(
            url("http://localhost"),
            Ok(format!("http://localhost{path}"))
        );
        assert_eq!(
            url("https://proxy.example/y"),
            Ok("https://proxy.example/y".to_owned())
        );
        for (given, wanted) in [
            ("http://proxy.example", "begin with `https://`"),
            ("http://localhost.evil.example", "begin with `https://`"),
            ("file:///etc/passwd", "begin with `https://`"),
            ("localhost:4010", "begin with `https://`"),
            ("127.0.0.1:4010", "begin with `https://`"),
            ("", "begin with `https://`"),
            ("https://proxy.example:8443", "may name a port"),
        ] {
            let refused = url(given).unwrap_err().to_string();
            let named = format!("{given:?} is not an endpoint: ");
            assert!(refused.starts_with(&named), "{refused}");
            assert!(refused.contains(wanted), "{refused}");
        }
        for (given, shown) in [
            ("https://u:canary@proxy.example", "https://…@proxy.example"),
            ("u:canary@proxy.example", "…@proxy.example"),
            ("canary@x://proxy.example?canary", "…@x://proxy.example"),
            (
                "https://u:can@ary@proxy.example/a#b",
                "https://…@proxy.example/a#b",
            ),
            ("http://localhost/?canary", "http://localhost/"),
        ] {
            let refused = url(given).unwrap_err().to_string();
            assert!(
                refused.starts_with(&format!("{shown:?} is not")),
                "{refused}"
            );
            assert!(!refused.contains("canary"), "{refused}");
        }
    }

    #[test]
    fn takes_versions_of_a_quarter() {
        for good in ["2026-10", "2025-01", "unstable"] {
            assert!(good.parse::<ApiVersion>().is_ok(), "{good}");
        }
        for bad in ["", "2026-11", "26-10", "2026-10/..", "2026-1", "latest"] {
            assert!(bad.parse::<ApiVersion>().is_err(), "{bad}");
        }
    }
}
