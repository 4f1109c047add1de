//! The condition of a claim, as its file has it.

use serde::Deserialize;

use super::expression::Expression;

/// An expression; or, in a list, templates of expressions which all have to hold for each of some variants in each of
/// some experiments.
#[derive(Clone, Debug, Deserialize)]
#[serde(try_from = "Written")]
pub(super) struct Claim(pub(super) Expression);

#[derive(Deserialize)]
#[serde(untagged)]
enum Written {
    Once(String),
    Each(Vec<Each>),
}

/// `EXPERIMENT` and `VARIANT` stand in the template for their names.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Each {
    experiments: Vec<String>,
    variants: Vec<String>,
    holds: String,
}

impl TryFrom<Written> for Claim {
    type Error = String;

    fn try_from(written: Written) -> Result<Claim, String> {
        let text = match written {
            Written::Once(text) => text,
            Written::Each(all) => {
                let conditions: Vec<String> = all.iter().flat_map(Each::conditions).collect();
                conditions.join(" and ")
            }
        };
        Ok(Claim(text.try_into()?))
    }
}

impl Each {
    fn conditions(&self) -> impl Iterator<Item = String> {
        self.experiments.iter().flat_map(|experiment| {
            let of_experiment = self.holds.replace("EXPERIMENT", experiment);
            let filled =
                |variant: &String| format!("({})", of_experiment.replace("VARIANT", variant));
            self.variants.iter().map(filled).collect::<Vec<_>>()
        })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn a_template_holds_for_each_variant_in_each_experiment() {
        let claims: BTreeMap<String, Claim> = toml::from_str(
            "once = '1 < 2'\n\
             [[each]]\nexperiments = ['e', 'f']\nvariants = ['v', 'w']\n\
             holds = '{{#times EXPERIMENT \"VARIANT\" 2}} > 1 or 1 > 2'\n",
        )
        .unwrap();
        assert_eq!(claims["once"].0.text, "1 < 2");
        let one = |name: &str| format!("({{{{#times {name}\" 2}}}} > 1 or 1 > 2)");
        let all = ["e \"v", "e \"w", "f \"v", "f \"w"].map(one).join(" and ");
        assert_eq!(claims["each"].0.text, all);
    }
}
