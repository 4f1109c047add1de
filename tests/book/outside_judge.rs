//! The page on the outside judge: its tables are those of `tests/wire/probe.toml` and of the cases beside it.

use std::collections::{BTreeMap, BTreeSet};

use ladder_tests::{
    none,
    probe::{Case, Group, Published, Suite, Verdict, groups, published, suite},
};

use super::{page::Page, repository::root};

/// All cases with their names.
fn cases(groups: &[Group]) -> BTreeMap<&str, &Case> {
    groups.iter().flat_map(|group| &group.case).map(|(name, case)| (name.as_str(), case)).collect()
}

/// How many of the verdicts are pass, warn and fail.
fn count(verdicts: impl Iterator<Item = Verdict>) -> [usize; 3] {
    let mut counts = [0; 3];
    for verdict in verdicts {
        counts[verdict as usize] += 1;
    }
    counts
}

fn ours(case: &Case) -> Verdict {
    case.judge(&case.ours)
}

#[test]
fn every_case_is_carried_over_or_left_out() {
    let (suite, groups) = (suite(), groups());
    let carried: usize = groups.iter().map(|group| group.case.len()).sum();
    assert_eq!(cases(&groups).len(), carried, "a name stands in two files");
    let left_out: usize = suite.left_out.iter().map(|some| some.cases).sum();
    assert_eq!(carried + left_out, suite.cases);
    for some in &suite.left_out {
        let found = cases(&groups).into_keys().filter(|name| name.starts_with(&some.prefix));
        assert_eq!(found.collect::<Vec<_>>(), [""; 0], "left out, and there");
    }
}

/// A case may fail only for a reason that is written down, and no reason may outlive its cases.
#[test]
fn a_difference_has_its_reason() {
    let (suite, groups) = (suite(), groups());
    let mut complaints = Vec::new();
    let mut used = BTreeSet::new();
    for (name, case) in cases(&groups) {
        match (ours(case), &case.because) {
            (Verdict::Fail, Some(word)) if suite.because.contains_key(word) => {
                used.insert(word.clone());
            }
            (Verdict::Fail, because) => {
                complaints.push(format!("{name} fails because {because:?}"))
            }
            (_, Some(because)) => complaints.push(format!("{name} does not fail: {because:?}")),
            (_, None) => {}
        }
    }
    none(complaints);
    assert_eq!(used, suite.because.into_keys().collect(), "left: used, right: written down");
}

/// The verdicts that the suite published for other servers are a test of our lists of answers.
#[test]
fn the_lists_judge_as_the_suite_does() {
    let (published, groups) = (published(), groups());
    let cases = cases(&groups);
    let mut otherwise = BTreeSet::new();
    for (name, answers) in &published.answers {
        assert_eq!(answers.len(), published.servers.len(), "{name}");
        if answers.iter().any(|one| cases[name.as_str()].judge(&one.answer) != one.verdict) {
            otherwise.insert(name);
        }
    }
    assert_eq!(otherwise, published.judged_otherwise.iter().collect(), "right: judged_otherwise");
}

/// A number in a sentence.
fn word(number: usize) -> String {
    const WORDS: [&str; 10] =
        ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"];
    WORDS.get(number).map_or_else(|| number.to_string(), |word| (*word).to_owned())
}

/// The finding in a sentence.
fn finding(suite: &Suite, groups: &[Group]) -> String {
    let [pass, warn, fail] = count(cases(groups).into_values().map(ours));
    format!(
        "All servers of the ladder answer the {} cases that concern them alike: {pass} of these responses pass, {warn} are \
         allowed although the suite prefers another, and {fail} differ from what it expects, for {} reasons.",
        pass + warn + fail,
        word(suite.because.len()),
    )
}

/// What the finding leaves out.
fn left_out(suite: &Suite) -> String {
    let cases: usize = suite.left_out.iter().map(|some| some.cases).sum();
    let about: Vec<&str> = suite.left_out.iter().map(|some| some.about.as_str()).collect();
    let about = about.join(" and ");
    format!(
        "Of its {} cases, {cases} are about {about}, which the site does not have.",
        suite.cases
    )
}

/// The cases that differ, with their reasons: those with the most cases first.
fn by_reason(suite: &Suite, groups: &[Group]) -> (String, String) {
    let cases = cases(groups);
    let of = |word: &str| -> Vec<String> {
        let found = cases.iter().filter(|(_, case)| case.because.as_deref() == Some(word));
        found.map(|(name, _)| format!("`{name}`")).collect()
    };
    let mut reasons: Vec<_> =
        suite.because.iter().map(|(word, reason)| (of(word), reason)).collect();
    reasons.sort_by_key(|(names, _)| usize::MAX - names.len());
    let mut table = "| cases | what differs | why |\n|---|---|---|\n".to_owned();
    let mut list = String::new();
    for (names, reason) in reasons {
        table += &format!("| {} | {} | {} |\n", names.len(), reason.differs, reason.why);
        list += &format!("- {} {}\n", reason.differs, names.join(", "));
    }
    (table, list)
}

/// Pass, warn and fail for each subject.
fn by_subject(groups: &[Group]) -> String {
    let rows = groups.iter().map(|group| {
        let [pass, warn, fail] = count(group.case.values().map(ours));
        format!("| {} | {} | {pass} | {warn} | {fail} |\n", group.about, group.case.len())
    });
    format!(
        "| about | cases | pass | warn | fail |\n|---|---|---|---|---|\n{}",
        rows.collect::<String>()
    )
}

/// The answers that are allowed, and not the strictest.
fn warnings(groups: &[Group]) -> String {
    let mut table =
        "| case | rests on | our response | the suite prefers |\n|---|---|---|---|\n".to_owned();
    for (name, case) in cases(groups).into_iter().filter(|(_, case)| ours(case) == Verdict::Warn) {
        let pass: Vec<String> = case.pass.iter().map(|answer| answer.to_string()).collect();
        let row =
            format!("| `{name}` | {} | {} | {} |\n", case.section(), case.ours, pass.join(", "));
        table += &row;
    }
    table
}

/// The scored cases of which the suite has published answers: ours beside those, by the same lists.
fn by_server(published: &Published, groups: &[Group]) -> (String, String) {
    let cases = cases(groups);
    let common: Vec<_> =
        published.answers.iter().map(|(name, all)| (cases[name.as_str()], all)).collect();
    let scored: Vec<_> = common.into_iter().filter(|(case, _)| case.scored).collect();
    let row = |name: &str, judge: &dyn Fn(usize) -> Verdict| {
        let [pass, warn, fail] = count((0..scored.len()).map(judge));
        let posts = |at: &usize| scored[*at].0.sends.0.starts_with(b"POST ");
        let others = (0..scored.len()).filter(|at| !posts(at) && judge(*at) == Verdict::Fail);
        format!("| {name} | {pass} | {warn} | {fail} | {} |\n", others.count())
    };
    let mut table =
        "| server | pass | warn | fail | fail without `POST` |\n|---|---|---|---|---|\n".to_owned();
    table += &row("our servers", &|at| ours(scored[at].0));
    for (column, name) in published.servers.iter().enumerate() {
        table += &row(name, &|at| scored[at].0.judge(&scored[at].1[column].answer));
    }
    let sentence = format!(
        "The table has the {} scored cases that the suite already had, with the same bytes, on {}.",
        scored.len(),
        published.date,
    );
    (table, sentence)
}

/// The snapshots, by their links.
fn sources(suite: &Suite, published: &Published) -> String {
    let link = |commit: &str, path: &str| {
        format!("[`{}`]({}/{path}/{commit})", &commit[..12], suite.repository)
    };
    let Published { commit, file, suite: tested, .. } = published;
    let results = format!("[`{file}`]({}/blob/{commit}/{file})", suite.repository);
    format!(
        "The cases are those of commit {} of {}; the other servers' responses are from {results} in commit {} of {}, made \
         with the suite of commit {}.",
        link(&suite.commit, "tree"),
        suite.date,
        link(commit, "tree"),
        published.date,
        link(tested, "tree"),
    )
}

#[test]
fn the_page_has_what_the_data_say() {
    let (suite, groups, published) = (suite(), groups(), published());
    let page = Page::read(&root().join("book/contract.md"));
    let (reasons, names) = by_reason(&suite, &groups);
    let (servers, common) = by_server(&published, &groups);
    let parts = [
        finding(&suite, &groups),
        left_out(&suite),
        reasons,
        names,
        by_subject(&groups),
        warnings(&groups),
        common,
        servers,
        sources(&suite, &published),
    ];
    let missing = parts.into_iter().filter(|part| !page.text.contains(part.as_str()));
    let complaints = missing.map(|part| format!("{} does not have this:\n\n{part}", page.at(1)));
    none(complaints.collect());
    // The page says so of hyper in words.
    let without_host = &published.answers["RFC9112-7.1-MISSING-HOST"][0].answer;
    assert_eq!(
        (published.servers[0].as_str(), without_host.to_string().as_str()),
        ("hyper", "200")
    );
}
