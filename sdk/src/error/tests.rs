use super::{Context, Error, ErrorKind};

#[test]
fn a_main_that_fails_prints_the_causes() {
    let token = ErrorKind::Token("the vault is shut".into());
    let unknown = ErrorKind::UnknownOutcome(Box::new(token));
    let error = Error::new(unknown, Context::default(), None);
    assert_eq!(
        format!("{error:?}"),
        "`` on  failed: whether the mutation ran is not known: no access token could be had: \
         the vault is shut"
    );
    assert!(format!("{error:#?}").contains("attempts: 0"));
}

#[test]
fn what_to_wait_for_is_in_the_message() {
    let limited = |retry_after| {
        let status = 429;
        ErrorKind::TooManyRequests {
            status,
            retry_after,
        }
        .to_string()
    };
    let named = limited(Some(std::time::Duration::from_millis(6500)));
    assert_eq!(
        named,
        "too many requests (HTTP 429), the server asks to wait 7 s"
    );
    assert_eq!(limited(None), "too many requests (HTTP 429)");
}
