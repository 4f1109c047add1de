//! What was run of an experiment. A record holds this of it, and no words: titles and findings stand
//! in the description alone.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::description::{Experiment, Pin, Setup, Variant};

/// What a description asked to be run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ran {
    rounds: usize,
    pin: Pin,
    baseline: Option<String>,
    control: bool,
    #[serde(flatten)]
    common: Setup,
    variants: Vec<RanVariant>,
}

/// The same of a variant.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct RanVariant {
    name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pin: Option<Pin>,
    #[serde(flatten)]
    own: Setup,
}

impl Ran {
    /// Of this experiment.
    pub fn of(experiment: &Experiment) -> Ran {
        let ran = |variant: &Variant| RanVariant {
            name: variant.name.clone(),
            pin: variant.pin,
            own: variant.own.clone(),
        };
        Ran {
            rounds: experiment.rounds,
            pin: experiment.pin,
            baseline: experiment.baseline.clone(),
            control: experiment.control,
            common: experiment.common.clone(),
            variants: experiment.variants.iter().map(ran).collect(),
        }
    }

    /// What was run, in the words of this description.
    pub(crate) fn described(self, by: &Experiment) -> Experiment {
        let described = |ran: RanVariant| {
            let words = by.variant(&ran.name).cloned().unwrap_or_default();
            Variant { name: ran.name, pin: ran.pin, own: ran.own, ..words }
        };
        Experiment {
            rounds: self.rounds,
            pin: self.pin,
            baseline: self.baseline,
            control: self.control,
            common: self.common,
            variants: self.variants.into_iter().map(described).collect(),
            ..by.clone()
        }
    }
}

/// Writes what was run of an experiment.
pub(crate) fn write<S: Serializer>(experiment: &Experiment, to: S) -> Result<S::Ok, S::Error> {
    Ran::of(experiment).serialize(to)
}

/// Reads what was run: an experiment that has no words yet.
pub(crate) fn read<'de, D: Deserializer<'de>>(from: D) -> Result<Experiment, D::Error> {
    Ok(Ran::deserialize(from)?.described(&Experiment::default()))
}
