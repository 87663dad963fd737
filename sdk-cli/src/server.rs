//! The server that a command asks: a shop, or another server of the same protocol.

use tollgate::{AccessToken, Client, ClientBuilder};

use crate::error::Error;

/// What a shop is called that is not one.
const EMULATED: &str = "emulated.myshopify.com";

#[derive(clap::Args, Debug)]
pub(crate) struct ServerArgs {
    /// The shop, as my-shop.myshopify.com
    #[arg(long, env = "TOLLGATE_SHOP", value_name = "DOMAIN")]
    pub(crate) shop: Option<String>,
    /// Its access token; better given by the environment, where other users do not see it
    #[arg(
        long,
        env = "TOLLGATE_TOKEN",
        hide_env_values = true,
        value_name = "TOKEN",
        value_parser = |text: &str| Ok::<_, std::convert::Infallible>(Token::of(text))
    )]
    token: Option<Token>,
    /// Another server of the same protocol, as http://127.0.0.1:4010 of `tollgate shop`: with one,
    /// neither shop nor token is needed
    #[arg(
        long,
        env = "TOLLGATE_ENDPOINT",
        hide_env_values = true,
        value_name = "URL"
    )]
    pub(crate) endpoint: Option<String>,
    /// The API version [default: 2026-10]
    #[arg(long, value_name = "VERSION")]
    api_version: Option<String>,
}

/// A token that is given; an empty one, as unset secrets are, is none.
#[derive(Clone, Debug)]
struct Token(Option<AccessToken>);

impl Token {
    fn of(text: &str) -> Self {
        Self((!text.is_empty()).then(|| AccessToken::from(text.to_owned())))
    }
}

impl ServerArgs {
    /// A client of the server, before what else a command sets.
    pub(crate) fn client(&self) -> Result<ClientBuilder, Error> {
        let shop = given(self.shop.as_deref());
        let token = self.token.as_ref().and_then(|token| token.0.clone());
        let mut builder = match given(self.endpoint.as_deref()) {
            Some(endpoint) => {
                let token = token.unwrap_or_else(|| AccessToken::from("none".to_owned()));
                Client::builder(shop.unwrap_or(EMULATED), token).endpoint(endpoint)
            }
            None => {
                let shop = shop.ok_or(Error::NoShop)?;
                Client::builder(shop, token.ok_or(Error::NoToken)?)
            }
        };
        if let Some(version) = &self.api_version {
            builder = builder.api_version(version);
        }
        Ok(builder)
    }

    /// Whether there is a server to ask.
    pub(crate) fn is_named(&self) -> bool {
        let named = [self.shop.as_deref(), self.endpoint.as_deref()];
        named.into_iter().any(|name| given(name).is_some())
    }
}

/// What is set to nothing is not set.
fn given(text: Option<&str>) -> Option<&str> {
    text.filter(|text| !text.is_empty())
}
