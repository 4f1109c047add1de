//! The value of an expression, with which an answer is judged.

use std::sync::LazyLock;

use anyhow::{Context, Result, bail, ensure};
use regex::Regex;

/// What an expression comes to.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Value {
    Number(f64),
    Truth(bool),
    Text(String),
}

static TOKEN: LazyLock<Regex> = LazyLock::new(|| {
    let number = r"\d+(?:,\d{3})*(?:\.\d+)?";
    let pattern =
        format!(r#"^\s*({number}|"[^"]*"|<=|>=|==|!=|[-+*/<>()]|(?:and|or|to|least|greatest)\b)"#);
    Regex::new(&pattern).expect("a correct expression")
});

/// The operators, from those that bind least to those that bind most.
const OPERATORS: [&[&str]; 5] =
    [&["or"], &["and"], &["<=", ">=", "==", "!=", "<", ">"], &["+", "-"], &["*", "/"]];

/// The value of an expression: numbers (`1,234.5`), texts in double quotes, `+ - * /`, comparisons, `and`,
/// `or`, and brackets, with the usual precedence; `least(1 to 2)` and `greatest(1 to 2)` are the ends of what
/// `{{#interval}}` and `{{#spread}}` become.
///
/// # Errors
/// When it can't be read, or divides by 0, or an operator stands between values for which it means nothing.
pub(super) fn evaluate(text: &str) -> Result<Value> {
    let mut tokens = Vec::new();
    let mut rest = text.trim_end();
    while !rest.is_empty() {
        let found = TOKEN.captures(rest).with_context(|| format!("cannot read `{rest}`"))?;
        tokens.push(found.get(1).expect("it always matches").as_str());
        rest = &rest[found[0].len()..];
    }
    let mut expression = Expression { tokens: &tokens };
    let value = expression.operation(0)?;
    match expression.tokens {
        [] => Ok(value),
        [token, ..] => bail!("`{token}` is one too many"),
    }
}

/// The tokens that are still to be read.
struct Expression<'a> {
    tokens: &'a [&'a str],
}

impl<'a> Expression<'a> {
    /// The next token, if it is one of these.
    fn take(&mut self, wanted: &[&str]) -> Option<&'a str> {
        let (token, rest) = self.tokens.split_first()?;
        wanted.contains(token).then(|| self.tokens = rest)?;
        Some(token)
    }

    /// Operators that bind as much as those of this level, or more, and what stands between them.
    fn operation(&mut self, level: usize) -> Result<Value> {
        let Some(operators) = OPERATORS.get(level) else { return self.operand() };
        let mut value = self.operation(level + 1)?;
        while let Some(operator) = self.take(operators) {
            value = apply(value, operator, self.operation(level + 1)?)?;
        }
        Ok(value)
    }

    fn operand(&mut self) -> Result<Value> {
        if self.take(&["-"]).is_some() {
            return apply(Value::Number(0.0), "-", self.operand()?);
        }
        if self.take(&["("]).is_some() {
            let value = self.operation(0)?;
            self.take(&[")"]).context("a bracket is not closed")?;
            return Ok(value);
        }
        if let Some(end) = self.take(&["least", "greatest"]) {
            self.take(&["("]).with_context(|| format!("a bracket must follow `{end}`"))?;
            let least = self.operation(0)?;
            self.take(&["to"]).context("`to` is missing between the ends")?;
            let greatest = self.operation(0)?;
            self.take(&[")"]).context("a bracket is not closed")?;
            return Ok(if end == "least" { least } else { greatest });
        }
        let (token, rest) = self.tokens.split_first().context("something is missing at the end")?;
        self.tokens = rest;
        match token.strip_prefix('"') {
            Some(text) => Ok(Value::Text(text.trim_end_matches('"').to_owned())),
            None => {
                let value = token.replace(',', "").parse();
                Ok(Value::Number(value.with_context(|| format!("`{token}` is no number"))?))
            }
        }
    }
}

fn apply(left: Value, operator: &str, right: Value) -> Result<Value> {
    use Value::{Number, Text, Truth};
    Ok(match (left, operator, right) {
        (Truth(left), "or", Truth(right)) => Truth(left || right),
        (Truth(left), "and", Truth(right)) => Truth(left && right),
        (Number(left), "<=", Number(right)) => Truth(left <= right),
        (Number(left), ">=", Number(right)) => Truth(left >= right),
        (Number(left), "==", Number(right)) => Truth(left == right),
        (Number(left), "!=", Number(right)) => Truth(left != right),
        (Number(left), "<", Number(right)) => Truth(left < right),
        (Number(left), ">", Number(right)) => Truth(left > right),
        (Text(left), "==", Text(right)) => Truth(left == right),
        (Text(left), "!=", Text(right)) => Truth(left != right),
        (Number(left), "+", Number(right)) => Number(left + right),
        (Number(left), "-", Number(right)) => Number(left - right),
        (Number(left), "*", Number(right)) => Number(left * right),
        (Number(left), "/", Number(right)) => {
            ensure!(right != 0.0, "nothing can be divided by 0");
            Number(left / right)
        }
        (left, operator, right) => bail!("{left:?} {operator} {right:?} means nothing"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_have_the_usual_precedence() {
        for (text, number) in [
            ("1 + 2 * 3", 7.0),
            ("(1 + 2) * 3", 9.0),
            ("-2 - -3", 1.0),
            ("8 / 0.05 / 2", 80.0),
            ("1,234,567.5", 1_234_567.5),
            ("greatest(1.9 to 2.3) - least(1.9 to 2.25)", 0.4),
        ] {
            let Ok(Value::Number(value)) = evaluate(text) else { panic!("{text}") };
            assert!((value - number).abs() < 1e-9, "{text} is {value}");
        }
        for (text, truth) in [
            ("1 < 2 and 2 < 1", false),
            ("1 < 2 or 2 < 1 and 2 < 1", true),
            ("2 >= 2 and 2 <= 2 and 2 == 2", true),
            ("2 != 2", false),
            ("\"a difference\" == \"a difference\"", true),
            ("\"no\" != \"a difference\"", true),
        ] {
            assert_eq!(evaluate(text).unwrap(), Value::Truth(truth), "{text}");
        }
        let senseless = ["", "1 +", "1 2", "(1", "1 / 0", "1 < \"a\"", "1 and 2", "least(1)", "a"];
        for text in senseless.into_iter().chain(["1 < 2 + (1 < 2)", "1 < 2 < 3", "-\"a\""]) {
            assert!(evaluate(text).is_err(), "{text}");
        }
    }
}
