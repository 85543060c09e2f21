//! Expansions for whole numbers as a target.

use super::{
    Exact,
    function::{is_folded, whole_function},
    views,
};
use crate::{
    error::ExpandError,
    expander::{Expander, Target, Value},
    factors::exactly,
};
use asanoha_lang::{Function, NodeId, Operand};

impl Target for Exact<'_> {
    fn begin(e: &mut Expander<'_, Self>, needed: &[bool]) {
        e.target.views = views::are_few(e.analysed, needed);
    }

    fn product(e: &mut Expander<'_, Self>, at: NodeId) -> Result<Option<Value>, ExpandError> {
        views::viewed(e, "*", at)
    }

    fn function(
        e: &mut Expander<'_, Self>,
        at: NodeId,
        function: &Function,
        operands: &[Operand],
    ) -> Result<Value, ExpandError> {
        whole_function(e, at, &exactly(function)?, operands)
    }

    fn is_folded(e: &Expander<'_, Self>, at: NodeId) -> bool {
        is_folded(e.analysed, at)
    }
}
