/// The candidate that a misspelt name most likely meant, if one is close enough: a third of its
/// letters may differ, swapped neighbours counting once.
pub fn suggest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let allowed = (name.chars().count() / 3).max(1);
    let lower = name.to_lowercase();
    candidates
        .into_iter()
        .filter(|candidate| !candidate.starts_with("__"))
        .filter(|candidate| candidate.len().abs_diff(name.len()) <= allowed)
        .map(|candidate| {
            let distance = strsim::damerau_levenshtein(&lower, &candidate.to_lowercase());
            (distance, candidate)
        })
        .filter(|(distance, _)| *distance <= allowed)
        .min()
        .map(|(_, candidate)| candidate)
}

/// `did you mean …?`, if there is something to mean.
pub(crate) fn did_you_mean<'a>(
    sigil: &str,
    name: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<String> {
    suggest(name, candidates).map(|found| format!("did you mean `{sigil}{found}`?"))
}
