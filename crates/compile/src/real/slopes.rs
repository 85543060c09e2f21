//! How much operations move where what they're of moves.

use std::convert::Infallible;

use asanoha_lang::{Analysed, Arg, Argument, Domain, Function, Kind, NodeId};
use asanoha_numeric::number;
use num_rational::BigRational;
use num_traits::Signed;

use super::{
    errors::{half_width, node, power, range, steepest, times, values},
    fitted::Fitted,
};

/// How much an operation moves at most where what it's of moves by little: for each of these, in their order.
pub(super) type Slopes = Vec<(NodeId, f64)>;

/// Slopes of operations.
struct LocalSlopes<'a> {
    analysed: &'a Analysed<'a>,
    fitted: &'a Fitted,
}

impl LocalSlopes<'_> {
    fn largest(&self, a: Arg<'_, Slopes>) -> f64 {
        self.analysed.range(node(a)).max_abs_f64()
    }

    fn rows(&self) -> f64 {
        self.analysed.rows() as f64
    }
}

/// The slope of an operation of one value.
fn slope(a: Arg<'_, Slopes>, by: f64) -> Slopes {
    vec![(node(a), by)]
}

impl Domain for LocalSlopes<'_> {
    type Value = Slopes;
    type Error = Infallible;

    fn input(&mut self, _: NodeId, _: &str) -> Result<Slopes, Infallible> {
        Ok(Vec::new())
    }

    fn add(&mut self, _: NodeId, a: Arg<'_, Slopes>, b: Arg<'_, Slopes>) -> Result<Slopes, Infallible> {
        Ok(vec![(node(a), 1.0), (node(b), 1.0)])
    }

    fn sub(&mut self, at: NodeId, a: Arg<'_, Slopes>, b: Arg<'_, Slopes>) -> Result<Slopes, Infallible> {
        self.add(at, a, b)
    }

    fn neg(&mut self, _: NodeId, a: Arg<'_, Slopes>) -> Result<Slopes, Infallible> {
        Ok(slope(a, 1.0))
    }

    fn mul(&mut self, _: NodeId, a: Arg<'_, Slopes>, b: Arg<'_, Slopes>) -> Result<Slopes, Infallible> {
        Ok(vec![(node(a), self.largest(b)), (node(b), self.largest(a))])
    }

    fn scale(&mut self, _: NodeId, a: Arg<'_, Slopes>, k: &BigRational) -> Result<Slopes, Infallible> {
        Ok(slope(a, number::to_f64(&k.abs())))
    }

    fn offset(&mut self, _: NodeId, a: Arg<'_, Slopes>, _: &BigRational) -> Result<Slopes, Infallible> {
        Ok(slope(a, 1.0))
    }

    fn power(&mut self, _: NodeId, a: Arg<'_, Slopes>, exponent: u32) -> Result<Slopes, Infallible> {
        Ok(slope(a, f64::from(exponent) * power(self.largest(a), exponent - 1)))
    }

    fn sum(&mut self, _: NodeId, a: Arg<'_, Slopes>) -> Result<Slopes, Infallible> {
        Ok(slope(a, self.rows()))
    }

    fn mean(&mut self, _: NodeId, a: Arg<'_, Slopes>) -> Result<Slopes, Infallible> {
        Ok(slope(a, 1.0))
    }

    fn var(&mut self, _: NodeId, a: Arg<'_, Slopes>) -> Result<Slopes, Infallible> {
        Ok(slope(a, 2.0 * half_width(self.analysed, node(a))))
    }

    fn cov(&mut self, _: NodeId, a: Arg<'_, Slopes>, b: Arg<'_, Slopes>) -> Result<Slopes, Infallible> {
        let deviation = |a| half_width(self.analysed, node(a));
        Ok(vec![(node(a), deviation(b)), (node(b), deviation(a))])
    }

    fn dot(&mut self, _: NodeId, a: Arg<'_, Slopes>, b: Arg<'_, Slopes>) -> Result<Slopes, Infallible> {
        let rows = self.rows();
        Ok(vec![(node(a), rows * self.largest(b)), (node(b), rows * self.largest(a))])
    }

    fn assume(&mut self, _: NodeId, a: Arg<'_, Slopes>, _: [&BigRational; 2]) -> Result<Slopes, Infallible> {
        Ok(slope(a, 1.0))
    }

    fn quantile(&mut self, _: NodeId, a: Arg<'_, Slopes>, _: &BigRational) -> Result<Slopes, Infallible> {
        Ok(slope(a, 1.0))
    }

    fn function(
        &mut self,
        at: NodeId,
        function: &Function,
        of: &[Argument<'_, Slopes>],
    ) -> Result<Slopes, Infallible> {
        let analysed = self.analysed;
        let by = |place: usize| match function.kind() {
            _ if let Some(table) = &self.fitted.tables[at.0] => match of[place].node() {
                Some(id) if table.is_line() => times(table.rise(), table.stride(id)),
                _ => 0.0,
            },
            Kind::Smooth => steepest(function, &range(analysed, of[0]), 0.0),
            Kind::Choice if place == 0 => range(analysed, of[1]).sub(&range(analysed, of[2])).max_abs_f64(),
            // Comparisons are flat outside of their gaps.
            _ if self.fitted.gaps[at.0].is_some() && !function.is_remainder() => 0.0,
            _ => 1.0,
        };
        let places = of.iter().enumerate();
        Ok(places.filter_map(|(place, argument)| Some((argument.node()?, by(place)))).collect())
    }
}

/// For every node, how much an output moves at most where the node moves by little.
pub(super) fn sensitivities(slopes: &[Slopes], output: usize) -> Vec<f64> {
    let mut moves = vec![0.0; slopes.len()];
    moves[output] = 1.0;
    for at in (0..slopes.len()).rev() {
        let by = moves[at];
        if by != 0.0 {
            slopes[at].iter().for_each(|&(operand, slope)| moves[operand.0] += times(by, slope));
        }
    }
    moves
}

/// The slopes of all operations.
pub(super) fn slopes(analysed: &Analysed<'_>, fitted: &Fitted) -> Vec<Slopes> {
    values(analysed, &mut LocalSlopes { analysed, fitted })
}
