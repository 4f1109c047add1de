//! One variant for each server, from the table `[servers]` of a description, so that no description lists the servers.
//!
//! ```toml
//! generator = ["ab", "-c", "100", "-n", "{requests}", "{url}/tenth"]
//! [servers]
//! which = "measured"                            # or "all" of examples/servers.toml
//! keep_alive = true                             # each of them with --keep-alive
//! law = { clients = 100, wait = 0.2 }           # so many at once, each waiting for so long, in seconds
//! requests = { source = 10000, seconds = 20 }   # {requests}: the source's, or what the law allows in that time
//! ```
//!
//! A table `[curve]` makes variants of some servers, each at several loads, and at one of them twice:
//!
//! ```toml
//! generator = ["load", "--rate", "{rate}", "--duration", "3", "--json", "{url}/work"]
//! [curve]
//! servers = [{ server = "ch06_tokio" }, { server = "java_pool", options = ["--threads", "64"], warm_up = 3 }]
//! shares = [10, 50, 90]                         # in percent of what each can answer
//! again = 50                                    # a second process of each: how far apart are two equals at that load?
//! ```
//!
//! What a server can answer is measured at the beginning of each round.
//!
//! A table `[crowd]` makes variants of some servers, each with several numbers of clients that ask at the same moment, and
//! says before when the last of them has its answer:
//!
//! ```toml
//! generator = ["load", "--together", "4", "--timeout", "{patience}", "--connections", "{clients}", "--json", "{url}/sleep"]
//! [crowd]
//! servers = ["ch03_threadpool", "ch06_tokio"]
//! clients = [6, 100]
//! law = { wait = 0.1, cost_us = 50 }            # of each request: its wait in seconds, and the CPU time that it takes
//! patience = 15                                 # in seconds; by the law a run may take longer, and is cut off then
//! ```
//!
//! A record holds the variants, and not these tables.

use anyhow::{Context, Result, bail, ensure};
use serde::Deserialize;
use toml::{Table, Value};

use crate::{
    base::{number, shortest},
    description::{Law, Setup, Variant},
    servers::{SERVERS, Server},
};

/// Stands for the number of requests in a generator's command line.
const REQUESTS: &str = "{requests}";

/// The table `[servers]`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Expansion {
    which: Which,
    #[serde(default)]
    keep_alive: bool,
    law: Option<WaitLaw>,
    requests: Option<Requests>,
}

#[derive(Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
enum Which {
    All,
    Measured,
}

/// A server answers as many clients as it serves at once, in each time that one of them waits.
#[derive(Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
struct WaitLaw {
    clients: u64,
    /// The mean wait of a request, in seconds.
    wait: f64,
}

/// The number of requests of a generator that counts them.
#[derive(Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
struct Requests {
    source: u64,
    /// A server that would take longer by the law gets fewer.
    seconds: f64,
}

/// The table `[curve]`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Curve {
    servers: Vec<CurveServer>,
    /// In percent of what each can answer.
    shares: Vec<f64>,
    /// The share at which each runs a second time.
    again: Option<f64>,
}

/// A server whose curve is measured.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CurveServer {
    server: String,
    options: Option<Vec<String>>,
    warm_up: Option<u32>,
}

/// Stands for the number of clients, and for how long they wait, in the generator's command line of a `[crowd]`.
const CLIENTS: &str = "{clients}";
const PATIENCE: &str = "{patience}";

/// What a run of a crowd takes besides its answers, in seconds: the connections, and the calm before all ask.
const GATHERING_SECONDS: f64 = 1.0;

/// The table `[crowd]`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Crowd {
    servers: Vec<String>,
    clients: Vec<u64>,
    law: CrowdLaw,
    patience: f64,
}

/// The clients are served in turns, as many in each as the server serves at once, and one CPU does what each request needs.
#[derive(Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
struct CrowdLaw {
    /// The wait of each request, in seconds.
    wait: f64,
    /// About how much CPU time a request takes, in microseconds.
    cost_us: u64,
}

impl CrowdLaw {
    /// Predicts when the last of so many clients has its answer, in seconds.
    fn of(self, server: &Server, clients: u64) -> Law {
        let CrowdLaw { wait, cost_us } = self;
        let turns = clients.div_ceil(server.served_at_once().unwrap_or(clients).max(1));
        let value = turns as f64 * wait + clients as f64 * cost_us as f64 / 1e6;
        Law { value, words: format!("{turns} x {wait} s + {clients} x {cost_us} us") }
    }
}

impl Crowd {
    fn variant(&self, name: &str, clients: u64, generator: &[String]) -> Result<Variant> {
        let server = Server::named(name).with_context(|| format!("there is no server `{name}`"))?;
        let law = self.law.of(server, clients);
        let mut filled = Vec::new();
        for word in generator {
            let word = word.replace(CLIENTS, &clients.to_string());
            filled.push(word.replace(PATIENCE, &self.patience.to_string()));
        }
        // Set although it is the default, because the law rests on it.
        let options = server.threads.map(|most| vec!["--threads".to_owned(), most.to_string()]);
        let own = Setup {
            server: Some(name.to_owned()),
            options,
            generator: Some(filled),
            seconds: Some(law.value.min(self.patience) + GATHERING_SECONDS),
            ..Setup::default()
        };
        Ok(Variant {
            series: Some(name.to_owned()),
            x: Some(clients as f64),
            law: Some(law),
            own,
            ..Variant::named(&format!("{name}, {clients}"))
        })
    }
}

/// Puts variants into the place of the table `[crowd]`, if there is one.
fn expand_crowd(description: &mut Table) -> Result<()> {
    let Some(crowd) = description.remove("crowd") else { return Ok(()) };
    ensure!(!description.contains_key("variants"), "it has a `crowd`, and `variants` too");
    let crowd: Crowd = crowd.try_into().context("its `crowd`")?;
    let generator = generator_of(description)?;
    let mut variants = Vec::new();
    for server in &crowd.servers {
        for clients in &crowd.clients {
            variants.push(crowd.variant(server, *clients, &generator)?);
        }
    }
    add_variants(description, &variants)
}

impl Curve {
    /// Makes the variants of a server: one at each share, and a second at the share that is measured again.
    fn variants_of(&self, server: &CurveServer) -> Vec<Variant> {
        let mut variants = Vec::new();
        for share in &self.shares {
            variants.push(server.at(*share, ""));
        }
        if let Some(share) = self.again {
            variants.push(server.at(share, " again"));
        }
        variants
    }
}

impl CurveServer {
    /// Makes the variant at a share of what the server can answer; its name ends with `suffix`.
    fn at(&self, share: f64, suffix: &str) -> Variant {
        let own = Setup {
            server: Some(self.server.clone()),
            options: self.options.clone(),
            warm_up: self.warm_up,
            share: Some(share),
            ..Setup::default()
        };
        let name = format!("{}, {}%{suffix}", self.server, shortest(share));
        Variant { series: Some(self.server.clone()), x: Some(share), own, ..Variant::named(&name) }
    }
}

/// Returns the generator's command line of a description; empty where it has none.
fn generator_of(description: &Table) -> Result<Vec<String>> {
    match description.get("generator") {
        Some(words) => words.clone().try_into().context("its generator"),
        None => Ok(Vec::new()),
    }
}

/// Enters the variants of a description.
fn add_variants(description: &mut Table, variants: &[Variant]) -> Result<()> {
    let variants: Vec<Value> = variants.iter().map(Value::try_from).collect::<Result<_, _>>()?;
    description.insert("variants".to_owned(), Value::Array(variants));
    Ok(())
}

/// Puts variants into the place of the table `[curve]`, if there is one.
fn expand_curve(description: &mut Table) -> Result<()> {
    let Some(curve) = description.remove("curve") else { return Ok(()) };
    ensure!(!description.contains_key("variants"), "it has a `curve`, and `variants` too");
    let curve: Curve = curve.try_into().context("its `curve`")?;
    if let Some(share) = curve.again {
        ensure!(curve.shares.contains(&share), "its `again` is one of the `shares`");
    }
    let variants: Vec<Variant> =
        curve.servers.iter().flat_map(|server| curve.variants_of(server)).collect();
    add_variants(description, &variants)
}

/// Puts variants into the place of a table `[servers]`, `[curve]` or `[crowd]`, if there is one. Fails when the table holds anything
/// unknown, or there are variants already.
pub(crate) fn expand(description: &mut Table) -> Result<()> {
    expand_curve(description)?;
    expand_crowd(description)?;
    let Some(expansion) = description.remove("servers") else { return Ok(()) };
    ensure!(!description.contains_key("variants"), "it has `servers`, and `variants` too");
    let expansion: Expansion = expansion.try_into().context("its `servers`")?;
    let generator = generator_of(description)?;
    let servers = SERVERS.iter().filter(|it| expansion.which == Which::All || it.measured);
    let variants = servers.map(|server| expansion.variant(server, &generator));
    add_variants(description, &variants.collect::<Result<Vec<Variant>>>()?)?;
    if let Some(requests) = expansion.requests {
        let words = counted(&generator, requests.source);
        description.insert("generator".to_owned(), Value::try_from(words)?);
    }
    Ok(())
}

impl Expansion {
    fn variant(&self, server: &Server, generator: &[String]) -> Result<Variant> {
        let mut options = Vec::new();
        // Set although it is the default, because the law rests on it.
        if let Some(threads) = server.threads {
            options.extend(["--threads".to_owned(), threads.to_string()]);
        }
        if self.keep_alive {
            options.push("--keep-alive".to_owned());
        }
        let own = Setup {
            server: Some(server.name.clone()),
            options: (!options.is_empty()).then_some(options),
            ..Setup::default()
        };
        let law = self.law.map(|law| law.predict(server));
        let mut variant = Variant { law, own, ..Variant::named(&server.name) };
        match (self.requests, &variant.law) {
            (None, _) => {}
            (Some(_), None) => {
                bail!("its `requests` go with a `law`, which says how long they take")
            }
            (Some(requests), Some(law)) => requests.enter(law.value, generator, &mut variant),
        }
        Ok(variant)
    }
}

impl WaitLaw {
    /// Predicts the rate of a server, in requests per second.
    fn predict(self, server: &Server) -> Law {
        let WaitLaw { clients, wait } = self;
        let (at_once, words) = match server.served_at_once() {
            Some(most) => (clients.min(most), format!("min({clients}, {most})")),
            None => (clients, clients.to_string()),
        };
        Law { value: at_once as f64 / wait, words: format!("{words} / {wait} s") }
    }
}

impl Requests {
    /// Enters how long a server of this rate takes, and where that is too long, fewer requests and the reason.
    fn enter(self, rate: f64, generator: &[String], variant: &mut Variant) {
        let whole = self.source as f64 / rate;
        variant.own.seconds = Some(whole.min(self.seconds));
        if whole > self.seconds {
            let fewer = (self.seconds * rate).round();
            variant.own.generator = Some(counted(generator, fewer as u64));
            variant.reduced = Some(format!(
                "{} requests instead of {}, which would take {} s by the law",
                number(fewer, 0),
                number(self.source as f64, 0),
                number(whole, 0)
            ));
        }
    }
}

/// Fills this number of requests in, in a generator's command line.
fn counted(generator: &[String], requests: u64) -> Vec<String> {
    generator.iter().map(|word| word.replace(REQUESTS, &requests.to_string())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{description::Experiment, descriptions::parse, testing::repository};

    const TENTH: &str = r#"
        title = "Every tenth request waits"
        question = "How many requests a second does each server answer?"
        page = "measuring"
        metric = "requests_per_second"
        finding = "They wait."
        rounds = 5
        generator = ["ab", "-c", "100", "-n", "{requests}", "{url}/tenth"]
        [servers]
        which = "all"
        law = { clients = 100, wait = 0.2 }
        requests = { source = 10000, seconds = 60 }
    "#;

    /// A repository with a folder for each server.
    fn read(text: &str) -> Result<Experiment> {
        let root = repository();
        for server in SERVERS.iter() {
            std::fs::create_dir_all(root.path().join("examples").join(&server.name))?;
        }
        parse("ab-tenth", text, root.path())
    }

    #[test]
    fn every_server_is_a_variant_with_its_law() {
        let experiment = read(TENTH).unwrap();
        let names: Vec<&str> = experiment.variants.iter().map(|it| it.name.as_str()).collect();
        assert_eq!(names, *crate::servers::NAMES);
        let tokio = experiment.variant("ch06_tokio").unwrap();
        let setup = experiment.setup("ch06_tokio").unwrap();
        let law = tokio.law.as_ref().unwrap();
        assert_eq!((law.value, law.words.as_str()), (500.0, "100 / 0.2 s"));
        assert_eq!((setup.seconds, setup.options, &tokio.reduced), (Some(20.0), None, &None));
        assert_eq!(setup.generator.unwrap()[1..5], ["-c", "100", "-n", "10000"]);
        let pool = experiment.variant("ch03_threadpool").unwrap();
        let setup = experiment.setup("ch03_threadpool").unwrap();
        assert_eq!(pool.law.as_ref().unwrap().words, "min(100, 8) / 0.2 s");
        assert_eq!(setup.options.unwrap(), ["--threads", "8"]);
        assert_eq!((setup.seconds, &setup.generator.unwrap()[4]), (Some(60.0), &"2400".to_owned()));
        let one = experiment.variant("ch01_single_threaded").unwrap();
        let setup = experiment.setup("ch01_single_threaded").unwrap();
        assert_eq!(setup.generator.unwrap()[4], "300");
        let words = "300 requests instead of 10,000, which would take 2,000 s by the law";
        assert_eq!(one.reduced.as_deref(), Some(words));
        // Stored and read again it is the same.
        let stored = serde_json::to_string(&experiment).unwrap();
        assert_eq!(serde_json::from_str::<Experiment>(&stored).unwrap(), experiment);
    }

    #[test]
    fn the_measured_ones_keep_their_connections() {
        let text = TENTH.replace("\"all\"", "\"measured\"\nkeep_alive = true");
        let experiment = read(&text).unwrap();
        assert_eq!(experiment.variants.len(), crate::servers::MEASURED.len());
        let setup = experiment.setup("ch03_threadpool").unwrap();
        assert_eq!(setup.options.unwrap(), ["--threads", "8", "--keep-alive"]);
    }

    #[test]
    fn a_curve_has_each_server_at_each_load() {
        let curve = r#"
        [curve]
        servers = [{ server = "ch06_tokio" }, { server = "ch03_threadpool", options = ["--threads", "64"], warm_up = 3 }]
        shares = [50, 110]
        again = 50
        "#;
        let head = TENTH.split_once("generator").unwrap().0;
        let load = r#"generator = ["load", "--rate", "{rate}", "--duration", "3", "--json", "{url}/"]
        seconds = 3"#;
        let text = format!("{head}{load}{curve}");
        let experiment = read(&text).unwrap();
        let names: Vec<&str> = experiment.variants.iter().map(|it| it.name.as_str()).collect();
        let expected = [
            "ch06_tokio, 50%",
            "ch06_tokio, 110%",
            "ch06_tokio, 50% again",
            "ch03_threadpool, 50%",
            "ch03_threadpool, 110%",
            "ch03_threadpool, 50% again",
        ];
        assert_eq!(names, expected);
        let pool = &experiment.variants[4];
        assert_eq!((pool.series.as_deref(), pool.x), (Some("ch03_threadpool"), Some(110.0)));
        assert_eq!((pool.own.share, pool.own.warm_up), (Some(110.0), Some(3)));
        let again = &experiment.variants[2];
        assert_eq!((again.x, again.own.share), (Some(50.0), Some(50.0)));
        for (old, new, why) in [
            ("shares = [50, 110]", "", "missing field `shares`"),
            ("again = 50", "again = 60", "one of the `shares`"),
            ("[curve]", "variants = []\n[curve]", "`variants` too"),
        ] {
            let message = format!("{:#}", read(&text.replace(old, new)).unwrap_err());
            assert!(message.contains(why), "{message}");
        }
    }

    #[test]
    fn a_crowd_is_served_in_turns() {
        let (head, _) = TENTH.split_once("generator").unwrap();
        let head = head.replace("requests_per_second", "last_answer_seconds");
        let crowd = r#"generator = ["load", "--together", "4", "--timeout", "{patience}", "--connections", "{clients}", "--json", "{url}/"]
        [crowd]
        servers = ["ch03_threadpool", "ch06_tokio"]
        clients = [6, 1001]
        law = { wait = 0.1, cost_us = 50 }
        patience = 10
        "#;
        let experiment = read(&format!("{head}{crowd}")).unwrap();
        // 1,001 clients are 126 turns of eight, in the last of which one is alone.
        for (name, words) in [
            ("ch03_threadpool, 1001", "126 x 0.1 s + 1001 x 50 us"),
            ("ch03_threadpool, 6", "1 x 0.1 s + 6 x 50 us"),
            ("ch06_tokio, 1001", "1 x 0.1 s + 1001 x 50 us"),
        ] {
            assert_eq!(experiment.variant(name).unwrap().law.as_ref().unwrap().words, words);
        }
        let law = experiment.variant("ch03_threadpool, 1001").unwrap().law.as_ref().unwrap();
        assert!((law.value - 12.65005).abs() < 1e-6, "{}", law.value);
        let setup = experiment.setup("ch03_threadpool, 1001").unwrap();
        assert_eq!(setup.options.unwrap(), ["--threads", "8"]);
        assert_eq!(setup.generator.unwrap()[3..7], ["--timeout", "10", "--connections", "1001"]);
        // Cut off after the clients' patience.
        assert_eq!(setup.seconds, Some(10.0 + GATHERING_SECONDS));
        let unknown = format!("{head}{crowd}").replace("ch06_tokio", "ch06");
        let message = format!("{:#}", read(&unknown).unwrap_err());
        assert!(message.contains("no server `ch06`"), "{message}");
    }

    #[test]
    fn what_is_wrong_in_it_is_refused() {
        for (old, new, why) in [
            ("which", "what", "what"),
            ("\"all\"", "\"some\"", "some"),
            ("law =", "#", "go with a `law`"),
            ("[servers]", "variants = []\n[servers]", "`variants` too"),
        ] {
            let message = format!("{:#}", read(&TENTH.replace(old, new)).unwrap_err());
            assert!(message.contains(why), "{message}");
        }
    }
}
