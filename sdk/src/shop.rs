use std::{fmt, net::IpAddr, str::FromStr};

use url::{Host, Url};

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

/// Why a URL is not taken as an endpoint.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EndpointError {
    /// Not a URL.
    #[error("the endpoint is not a URL")]
    Invalid(#[from] url::ParseError),
    /// Neither `https`, nor `http` to this machine.
    #[error("the endpoint must be https, or http on a loopback address")]
    Insecure,
    /// A port on another machine.
    #[error("the endpoint may name a port on a loopback address only")]
    Port,
    /// A user name, password, query or fragment.
    #[error("the endpoint may have no user name, password, query or fragment")]
    Extras,
}

/// Checks the URL of a test server or proxy; a bare host gets the API's usual path.
pub(crate) fn endpoint(text: &str, version: &str) -> Result<Url, EndpointError> {
    let mut url = Url::parse(text)?;
    let here = match url.host() {
        Some(Host::Domain(domain)) => domain == "localhost",
        Some(Host::Ipv4(address)) => IpAddr::V4(address).is_loopback(),
        Some(Host::Ipv6(address)) => IpAddr::V6(address).is_loopback(),
        None => false,
    };
    if url.scheme() != "https" && !(here && url.scheme() == "http") {
        return Err(EndpointError::Insecure);
    }
    if url.port().is_some() && !here {
        return Err(EndpointError::Port);
    }
    let credentials = !url.username().is_empty() || url.password().is_some();
    if credentials || url.query().is_some() || url.fragment().is_some() {
        return Err(EndpointError::Extras);
    }
    if url.path() == "/" {
        url.set_path(&path(version));
    }
    Ok(url)
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
    use super::{ApiVersion, EndpointError, ShopDomain, endpoint};

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
        let insecure = Err(EndpointError::Insecure);
        assert_eq!(url("http://proxy.example"), insecure);
        assert_eq!(url("http://localhost.evil.example"), insecure);
        assert_eq!(url("file:///etc/passwd"), insecure);
        assert_eq!(url("https://proxy.example:8443"), Err(EndpointError::Port));
        assert_eq!(url("https://u:p@proxy.example"), Err(EndpointError::Extras));
        assert_eq!(url("http://localhost/?a"), Err(EndpointError::Extras));
        assert!(matches!(url("localhost"), Err(EndpointError::Invalid(_))));
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
