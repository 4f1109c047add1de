//! Expressions over quantities, with which an answer is judged.

use std::{mem::discriminant, sync::LazyLock};

use anyhow::{Context, Result, bail, ensure};
use records::{base::rounded, verdict::Verdict};
use regex::Regex;
use serde::Deserialize;

use crate::{
    directive::Directive,
    report::quantity::{Figure, Quantity},
    scan::directives,
};

/// Finds the quantity that a directive stands for.
pub(crate) type Look<'a> = dyn Fn(&Directive) -> Result<Quantity> + 'a;

/// What an expression comes to, or a part of it.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Value {
    Number(f64),
    Pair(f64, f64),
    Truth(bool),
    Verdict(&'static str),
}

/// An expression: numbers (`1,234.5`), directives that stand for a quantity, verdicts in double quotes,
/// `+ - * /`, comparisons, `and`, `or`, and brackets, with the usual precedence; `least(…)` and `greatest(…)` are
/// the ends of what `{{#interval}}` and `{{#spread}}` stand for.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(try_from = "String")]
pub(crate) struct Expression {
    pub(super) text: String,
    /// Its directives, from left to right.
    pub(super) directives: Vec<Directive>,
    pub(super) root: Node,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Node {
    Literal(Value),
    /// The directive of this index.
    Figure(usize),
    /// `least` or `greatest` of a pair.
    End(&'static str, Box<Node>),
    Operation(Box<Node>, &'static str, Box<Node>),
}

static TOKEN: LazyLock<Regex> = LazyLock::new(|| {
    let number = r"\d+(?:,\d{3})*(?:\.\d+)?";
    let pattern = format!(
        r#"^\s*({number}|\{{\{{[^{{}}]*\}}\}}|"[^"]*"|<=|>=|==|!=|[-+*/<>()]|(?:and|or|least|greatest)\b)"#
    );
    Regex::new(&pattern).expect("a correct expression")
});

/// The operators, from those that bind least to those that bind most.
const OPERATORS: [&[&str]; 5] =
    [&["or"], &["and"], &["<=", ">=", "==", "!=", "<", ">"], &["+", "-"], &["*", "/"]];

impl TryFrom<String> for Expression {
    type Error = String;

    fn try_from(text: String) -> Result<Expression, String> {
        match parse(&text) {
            Ok((root, directives)) => Ok(Expression { text, directives, root }),
            Err(error) => Err(format!("`{text}`: {error:#}")),
        }
    }
}

impl Expression {
    /// What its directives stand for, each number with as many digits after the point as the page shows. Fails when one
    /// stands for no quantity, or nothing was measured for it.
    pub(super) fn figures(&self, look: &Look) -> Result<Vec<Value>> {
        let value = |directive| {
            Ok(match look(directive)? {
                Quantity::Number(Figure { value, .. }, decimals) => {
                    Value::Number(rounded(value, decimals))
                }
                Quantity::Pair(Figure { value: (low, high), .. }, decimals) => {
                    Value::Pair(rounded(low, decimals), rounded(high, decimals))
                }
                Quantity::Verdict(verdict) => Value::Verdict(verdict.name()),
            })
        };
        self.directives.iter().map(value).collect()
    }
}

impl Node {
    /// What it comes to with these [figures](Expression::figures). Fails when it divides by 0, or an operator stands
    /// between values for which it means nothing.
    pub(super) fn value(&self, figures: &[Value]) -> Result<Value> {
        Ok(match self {
            Node::Literal(value) => value.clone(),
            Node::Figure(index) => figures[*index].clone(),
            Node::End(end, pair) => match (*end, pair.value(figures)?) {
                ("least", Value::Pair(least, _)) => Value::Number(least),
                ("greatest", Value::Pair(_, greatest)) => Value::Number(greatest),
                (end, value) => bail!("{end} {value:?} means nothing"),
            },
            Node::Operation(left, operator, right) => {
                apply(left.value(figures)?, operator, right.value(figures)?)?
            }
        })
    }
}

fn parse(text: &str) -> Result<(Node, Vec<Directive>)> {
    let mut tokens = Vec::new();
    let mut rest = text.trim_end();
    while !rest.is_empty() {
        let found = TOKEN.captures(rest).with_context(|| format!("cannot read `{rest}`"))?;
        tokens.push(found.get(1).expect("it always matches").as_str());
        rest = &rest[found[0].len()..];
    }
    let mut parser = Parser { tokens: &tokens, directives: Vec::new() };
    let root = parser.operation(0)?;
    match parser.tokens {
        [] => Ok((root, parser.directives)),
        [token, ..] => bail!("`{token}` is one too many"),
    }
}

struct Parser<'a> {
    /// Those that are still to be read.
    tokens: &'a [&'a str],
    directives: Vec<Directive>,
}

impl Parser<'_> {
    /// The next token, if it is one of these.
    fn take(&mut self, wanted: &[&'static str]) -> Option<&'static str> {
        let (token, rest) = self.tokens.split_first()?;
        let taken = wanted.iter().find(|wanted| *wanted == token)?;
        self.tokens = rest;
        Some(taken)
    }

    /// Operators that bind as much as those of this level, or more, and what stands between them.
    fn operation(&mut self, level: usize) -> Result<Node> {
        let Some(operators) = OPERATORS.get(level) else { return self.operand() };
        let mut left = self.operation(level + 1)?;
        while let Some(operator) = self.take(operators) {
            left = Node::Operation(Box::new(left), operator, Box::new(self.operation(level + 1)?));
        }
        Ok(left)
    }

    fn operand(&mut self) -> Result<Node> {
        if self.take(&["-"]).is_some() {
            let zero = Node::Literal(Value::Number(0.0));
            return Ok(Node::Operation(Box::new(zero), "-", Box::new(self.operand()?)));
        }
        if self.take(&["("]).is_some() {
            let inside = self.operation(0)?;
            self.take(&[")"]).context("a bracket is not closed")?;
            return Ok(inside);
        }
        if let Some(end) = self.take(&["least", "greatest"]) {
            return Ok(Node::End(end, Box::new(self.operand()?)));
        }
        let (token, rest) = self.tokens.split_first().context("something is missing at the end")?;
        self.tokens = rest;
        if let Some(found) = directives(token).next().filter(|found| found.text == *token) {
            self.directives.push(Directive::of(&found)?);
            return Ok(Node::Figure(self.directives.len() - 1));
        }
        Ok(Node::Literal(match token.strip_prefix('"') {
            Some(text) => {
                let words = text.trim_end_matches('"');
                let verdict = Verdict::NAMES.into_iter().find(|name| *name == words);
                Value::Verdict(verdict.with_context(|| {
                    let names = Verdict::NAMES.join("\", \"");
                    format!("\"{words}\" is no verdict; there are \"{names}\"")
                })?)
            }
            None => {
                let value = token.replace(',', "").parse();
                Value::Number(value.with_context(|| format!("`{token}` is no number"))?)
            }
        }))
    }
}

fn apply(left: Value, operator: &str, right: Value) -> Result<Value> {
    use Value::{Number, Truth};
    let are_alike = discriminant(&left) == discriminant(&right);
    Ok(match (left, operator, right) {
        (Truth(left), "or", Truth(right)) => Truth(left || right),
        (Truth(left), "and", Truth(right)) => Truth(left && right),
        (Number(left), "<=", Number(right)) => Truth(left <= right),
        (Number(left), ">=", Number(right)) => Truth(left >= right),
        (Number(left), "<", Number(right)) => Truth(left < right),
        (Number(left), ">", Number(right)) => Truth(left > right),
        (left, "==", right) if are_alike => Truth(left == right),
        (left, "!=", right) if are_alike => Truth(left != right),
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

    /// The value of an expression in which these directives stand for a quantity of each kind.
    fn evaluate(text: &str) -> Result<Value> {
        let look = |directive: &Directive| {
            let pair = Figure { value: (1.94, 2.26), marks: Default::default() };
            Ok(match directive {
                Directive::Median { decimals, .. } => Quantity::number(0.96, *decimals),
                Directive::Interval { decimals, .. } => Quantity::Pair(pair, *decimals),
                Directive::Verdict { .. } => Quantity::Verdict(Verdict::Differs),
                _ => bail!("no quantity"),
            })
        };
        let expression = Expression::try_from(text.to_owned()).map_err(anyhow::Error::msg)?;
        expression.root.value(&expression.figures(&look)?)
    }

    #[test]
    fn expressions_have_the_usual_precedence() {
        for (text, number) in [
            ("1 + 2 * 3", 7.0),
            ("(1 + 2) * 3", 9.0),
            ("-2 - -3", 1.0),
            ("8 / 0.05 / 2", 80.0),
            ("1,234,567.5", 1_234_567.5),
            ("greatest({{#interval a b 2}}) - least({{#interval a b 2}})", 0.32),
        ] {
            let Ok(Value::Number(value)) = evaluate(text) else { panic!("{text}") };
            assert!((value - number).abs() < 1e-9, "{text} is {value}");
        }
        for (text, truth) in [
            ("1 < 2 and 2 < 1", false),
            ("1 < 2 or 2 < 1 and 2 < 1", true),
            ("2 >= 2 and 2 <= 2 and 2 == 2", true),
            ("2 != 2", false),
            // A figure is compared as the page shows it.
            ("{{#median a b 2}} == 0.96 and {{#median a b 1}} == 1", true),
            ("least({{#interval a b 1}}) == 1.9 and greatest({{#interval a b 1}}) == 2.3", true),
            ("{{#verdict a b}} == \"differs\"", true),
        ] {
            assert_eq!(evaluate(text).unwrap(), Value::Truth(truth), "{text}");
        }
        let senseless = ["", "1 +", "1 2", "(1", "1 / 0", "1 < \"a\"", "1 and 2", "least(1)", "a"];
        let of_figures = [
            "{{#medain a b 1}} < 1",
            "{{#median a b}} < 1",
            "{{#chart a}} < 1",
            "{{#interval a b 1}} < 3",
            // No verdict has these words.
            "{{#verdict a b}} == \"difers\"",
        ];
        let more = ["1 < 2 + (1 < 2)", "1 < 2 < 3", "-\"a\"", "1 to 2"];
        for text in senseless.into_iter().chain(of_figures).chain(more) {
            assert!(evaluate(text).is_err(), "{text}");
        }
    }
}
