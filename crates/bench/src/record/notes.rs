//! The notes and reasons of a paper, numbered through all of its places, so that each stands on the page once.

use std::collections::BTreeMap;

use super::papers::{Paper, Place};

/// A note as a place has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Note<'n> {
    /// A note of this place only, without a number.
    Own(&'n str),
    /// The first of several places with the same note.
    First(usize, &'n str),
    /// The number of one that an earlier place has.
    Again(usize),
}

/// The notes of a paper up to some place.
#[derive(Debug, Default)]
pub(super) struct Notes<'n> {
    /// The number of places that have a note.
    uses: BTreeMap<&'n str, usize>,
    numbered: Vec<&'n str>,
    /// The number of those that stand on the page.
    printed: usize,
}

impl<'n> Notes<'n> {
    pub(super) fn new(paper: &'n Paper) -> Self {
        let mut notes = Self::default();
        for note in paper.places.iter().flat_map(|place| &place.notes) {
            *notes.uses.entry(note).or_default() += 1;
        }
        notes
    }

    /// The notes of the next place.
    pub(super) fn of_place(&mut self, place: &'n Place) -> Vec<Note<'n>> {
        let note = |note: &'n String| {
            let known = self.numbered.len();
            match self.uses.get(note.as_str()) {
                Some(1) | None => Note::Own(note),
                Some(_) => match self.number(note) {
                    number if number > known => Note::First(number, note),
                    number => Note::Again(number),
                },
            }
        };
        let notes = place.notes.iter().map(note).collect();
        self.printed = self.numbered.len();
        notes
    }

    /// The number of a note or reason.
    pub(super) fn number(&mut self, text: &'n str) -> usize {
        let at = self.numbered.iter().position(|known| *known == text);
        at.unwrap_or_else(|| {
            self.numbered.push(text);
            self.numbered.len() - 1
        }) + 1
    }

    /// The reasons that were numbered since the last ones, with their numbers.
    pub(super) fn unprinted(&mut self) -> Vec<(usize, &'n str)> {
        let from = std::mem::replace(&mut self.printed, self.numbered.len());
        self.numbered.iter().enumerate().skip(from).map(|(at, text)| (at + 1, *text)).collect()
    }
}

/// The numbers of notes that an earlier place has, in words; `None` if there are none.
pub(super) fn again(notes: &[Note<'_>], link: impl Fn(usize) -> String) -> Option<String> {
    let numbers: Vec<String> = notes
        .iter()
        .filter_map(|note| if let Note::Again(number) = note { Some(link(*number)) } else { None })
        .collect();
    let (last, others) = numbers.split_last()?;
    Some(if others.is_empty() {
        format!("See also {last}.")
    } else {
        format!("See also {} and {last}.", others.join(", "))
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn paper(notes: &[&[&str]]) -> Paper {
        let place = |notes: &&[&str]| {
            json!({ "place": "p", "title": "t", "unit": "", "better": "none", "kind": "table", "notes": notes,
                "cells": [] })
        };
        let places: Vec<_> = notes.iter().map(place).collect();
        serde_json::from_value(
            json!({ "paper": "p", "title": "t", "authors": "a", "year": 2020, "machine": "m",
            "places": places }),
        )
        .unwrap()
    }

    #[test]
    fn notes_of_several_places_have_a_number_and_stand_once() {
        let paper = paper(&[&["a", "b"], &["c", "b"], &["b", "d", "d2"], &["d"]]);
        let mut notes = Notes::new(&paper);
        let mut next = |at: usize| notes.of_place(&paper.places[at]);
        assert_eq!(next(0), [Note::Own("a"), Note::First(1, "b")]);
        assert_eq!(next(1), [Note::Own("c"), Note::Again(1)]);
        assert_eq!(next(2), [Note::Again(1), Note::First(2, "d"), Note::Own("d2")]);
        assert_eq!(notes.number("reason"), 3);
        assert_eq!(notes.number("d"), 2);
        assert_eq!(notes.unprinted(), [(3, "reason")]);
        let last = notes.of_place(&paper.places[3]);
        assert_eq!(last, [Note::Again(2)]);
        assert!(notes.number("reason") == 3 && notes.unprinted().is_empty());
        let link = |number| format!("({number})");
        assert_eq!(again(&last, link).unwrap(), "See also (2).");
        let several = [Note::Again(1), Note::Own("x"), Note::Again(4), Note::Again(2)];
        assert_eq!(again(&several, link).unwrap(), "See also (1), (4) and (2).");
        assert_eq!(again(&[Note::Own("x")], link), None);
    }
}
