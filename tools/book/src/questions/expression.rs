//! Expressions over quantities, with which an answer is judged.

use std::sync::LazyLock;

use anyhow::{Context, Result, bail, ensure};
use base::rounded;
use records::summary::Verdict;
use regex::Regex;
use report::quantity::{Figure, Quantity};
use serde::Deserialize;

use crate::{directive::Directive, scan::directives};

/// Finds the quantity that a directive stands for.
pub(crate) type Look<'a> = dyn Fn(&Directive) -> Result<Quantity> + 'a;

/// What an expression comes to, or a part of it.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Value {
    Number(f64),
    Pair(f64, f64),
    Truth(bool),
    Verdict(Verdict),
    Word(String),
}

/// An expression: numbers (`1,234.5`), directives that stand for a quantity, verdicts and words in double quotes,
/// `+ - * /`, comparisons, `and`, `or`, and brackets, with the usual precedence; `least(…)` and `greatest(…)` are
/// the ends of what `{{#interval}}` and `{{#spread}}` stand for.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(try_from = "String")]
pub(crate) struct Expression {
    /// As it was written.
    pub(super) text: String,
    /// Its directives, from left to right.
    pub(super) directives: Vec<Directive>,
    root: Node,
}

/// An expression or a part of it.
#[derive(Clone, Debug, PartialEq)]
enum Node {
    Literal(Value),
    /// The directive of this index.
    Figure(usize),
    Least(Box<Node>),
    Greatest(Box<Node>),
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
        let parsed = parse(&text).map_err(|error| format!("`{text}`: {error:#}"))?;
        let (root, directives) = parsed;
        Ok(Expression { text, directives, root })
    }
}

impl Expression {
    /// What its directives stand for, each number with as many digits after the point as the page shows.
    ///
    /// # Errors
    /// When a directive stands for no quantity, or nothing was measured for it.
    pub(super) fn figures(&self, look: &Look) -> Result<Vec<Value>> {
        let value = |directive| {
            Ok(match look(directive)? {
                Quantity::Number(Figure { value, .. }, decimals) => {
                    Value::Number(rounded(value, decimals))
                }
                Quantity::Pair(Figure { value: (low, high), .. }, decimals) => {
                    Value::Pair(rounded(low, decimals), rounded(high, decimals))
                }
                Quantity::Verdict(verdict) => Value::Verdict(verdict),
                Quantity::Word(word) => Value::Word(word),
            })
        };
        self.directives.iter().map(value).collect()
    }

    /// What it comes to with these [figures](Expression::figures).
    ///
    /// # Errors
    /// When it divides by 0, or an operator stands between values for which it means nothing.
    pub(super) fn value(&self, figures: &[Value]) -> Result<Value> {
        self.root.value(figures)
    }
}

impl Node {
    fn value(&self, figures: &[Value]) -> Result<Value> {
        let ends = |pair: &Node| match pair.value(figures)? {
            Value::Pair(least, greatest) => Ok((least, greatest)),
            value => bail!("{value:?} has no ends"),
        };
        Ok(match self {
            Node::Literal(value) => value.clone(),
            Node::Figure(index) => figures[*index].clone(),
            Node::Least(pair) => Value::Number(ends(pair)?.0),
            Node::Greatest(pair) => Value::Number(ends(pair)?.1),
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
    /// Those that were read.
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
            let pair = Box::new(self.operand()?);
            return Ok(if end == "least" { Node::Least(pair) } else { Node::Greatest(pair) });
        }
        let (token, rest) = self.tokens.split_first().context("something is missing at the end")?;
        self.tokens = rest;
        if let Some(found) = directives(token).next() {
            self.directives.push(Directive::of(&found)?);
            return Ok(Node::Figure(self.directives.len() - 1));
        }
        Ok(Node::Literal(match token.strip_prefix('"') {
            Some(text) => {
                let words = text.trim_end_matches('"');
                Verdict::named(words).map_or_else(|| Value::Word(words.to_owned()), Value::Verdict)
            }
            None => {
                let value = token.replace(',', "").parse();
                Value::Number(value.with_context(|| format!("`{token}` is no number"))?)
            }
        }))
    }
}

fn apply(left: Value, operator: &str, right: Value) -> Result<Value> {
    use Value::{Number, Truth, Verdict, Word};
    Ok(match (left, operator, right) {
        (Truth(left), "or", Truth(right)) => Truth(left || right),
        (Truth(left), "and", Truth(right)) => Truth(left && right),
        (Number(left), "<=", Number(right)) => Truth(left <= right),
        (Number(left), ">=", Number(right)) => Truth(left >= right),
        (Number(left), "==", Number(right)) => Truth(left == right),
        (Number(left), "!=", Number(right)) => Truth(left != right),
        (Number(left), "<", Number(right)) => Truth(left < right),
        (Number(left), ">", Number(right)) => Truth(left > right),
        (Verdict(left), "==", Verdict(right)) => Truth(left == right),
        (Verdict(left), "!=", Verdict(right)) => Truth(left != right),
        (Word(left), "==", Word(right)) => Truth(left == right),
        (Word(left), "!=", Word(right)) => Truth(left != right),
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
            let is_disturbed = true;
            Ok(match directive {
                Directive::Median { decimals, .. } => {
                    Quantity::Number(Figure { value: 0.96, is_disturbed }, *decimals)
                }
                Directive::Interval { decimals, .. } => {
                    Quantity::Pair(Figure { value: (1.94, 2.26), is_disturbed }, *decimals)
                }
                Directive::Verdict { .. } => Quantity::Verdict(Verdict::Difference),
                Directive::MachineLine {} => Quantity::Word("Linux".to_owned()),
                _ => bail!("no quantity"),
            })
        };
        let expression = Expression::try_from(text.to_owned()).map_err(anyhow::Error::msg)?;
        expression.value(&expression.figures(&look)?)
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
            (
                "{{#median a b 2}} == 0.96 and {{#median a b 1}} == 1 and {{#median a b 0}} == 1",
                true,
            ),
            ("least({{#interval a b 1}}) == 1.9 and greatest({{#interval a b 1}}) == 2.3", true),
            ("{{#verdict a b}} == \"a difference\"", true),
            ("{{#verdict a b}} != \"no difference found\"", true),
            ("{{#machine_line}} == \"Linux\" and \"Linux\" != \"linux\"", true),
        ] {
            assert_eq!(evaluate(text).unwrap(), Value::Truth(truth), "{text}");
        }
    }

    #[test]
    fn what_means_nothing_is_refused() {
        for (text, complaint) in [
            ("", "something is missing"),
            ("1 +", "something is missing"),
            ("1 2", "`2` is one too many"),
            ("(1", "a bracket is not closed"),
            ("a", "cannot read `a`"),
            ("1 to 2", "cannot read ` to 2`"),
            ("{{#medain a b 1}}", "there is no directive `medain`"),
            ("{{#median a b}}", "this directive is written {{#median"),
            ("{{#chart a}}", "no quantity"),
            ("1 / 0", "divided by 0"),
            ("1 < \"a\"", "means nothing"),
            ("1 and 2", "means nothing"),
            ("1 < 2 + (1 < 2)", "means nothing"),
            ("1 < 2 < 3", "means nothing"),
            ("-\"a\"", "means nothing"),
            ("least(1)", "has no ends"),
            ("{{#interval a b 1}} < 3", "means nothing"),
            // This is no verdict's words.
            ("{{#verdict a b}} == \"a diference\"", "means nothing"),
        ] {
            let error = format!("{:#}", evaluate(text).unwrap_err());
            assert!(error.contains(complaint), "{text}: {error}");
        }
    }
}
