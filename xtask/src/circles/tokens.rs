//! Paths among tokens that only a macro understands.

use proc_macro2::{TokenStream, TokenTree};

/// The paths, in order. Names after `.`, `'` and `$`, and before `:` and `=`, belong to something else.
pub(crate) fn paths(tokens: &TokenStream) -> Vec<Vec<String>> {
    let tokens: Vec<TokenTree> = tokens.clone().into_iter().collect();
    let is = |at: Option<usize>, sign: char| matches!(at.and_then(|at| tokens.get(at)), Some(TokenTree::Punct(found)) if found.as_char() == sign);
    let is_colons = |at: usize| is(Some(at), ':') && is(Some(at + 1), ':');
    let mut paths = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        let start = at;
        at += 1;
        match &tokens[start] {
            TokenTree::Group(group) => paths.extend(self::paths(&group.stream())),
            TokenTree::Ident(name) => {
                let mut path = vec![name.to_string()];
                while let (true, Some(TokenTree::Ident(name))) = (is_colons(at), tokens.get(at + 2)) {
                    path.push(name.to_string());
                    at += 3;
                }
                let before = start.checked_sub(1);
                let is_part = is(before, '.')
                    || is(before, '\'')
                    || (is(before, '$') && *name != "crate")
                    || (is(before, ':') && is(start.checked_sub(2), ':'));
                let is_key = path.len() == 1
                    && ((is(Some(at), ':') && !is_colons(at))
                        || (is(Some(at), '=') && !is(Some(at + 1), '=') && !is(Some(at + 1), '>')));
                if !is_part && !is_key {
                    paths.push(path);
                }
            }
            TokenTree::Punct(_) | TokenTree::Literal(_) => {}
        }
    }
    paths
}
