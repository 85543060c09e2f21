//! Parameters as a file holds them.

use std::fmt;

use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{DeserializeOwned, Error, MapAccess, SeqAccess, Visitor},
    ser::SerializeMap,
};
use serde_json::Number;

use crate::scheme_name::SchemeName;

/// The field of a scheme's name.
const SCHEME: &str = "scheme";

/// Parameters of one scheme or another as written down, unchecked. In JSON they are an object: the scheme's name, then the fields of
/// its literal in their order.
#[derive(Clone, Debug, PartialEq)]
pub struct ParamsLiteral {
    scheme: String,
    fields: Vec<(String, Json)>,
}

impl ParamsLiteral {
    /// Writes down the literal of a scheme.
    ///
    /// # Panics
    /// If it is no struct of plain data.
    pub fn new(scheme: SchemeName, literal: &impl Serialize) -> Self {
        let text = serde_json::to_string(literal).expect("literals are plain data");
        match serde_json::from_str(&text) {
            Ok(Json::Object(fields)) => Self { scheme: scheme.name().to_owned(), fields },
            _ => unreachable!("literals are structs"),
        }
    }

    /// The scheme's name.
    pub fn scheme(&self) -> &str {
        &self.scheme
    }

    /// Reads the literal of a scheme.
    ///
    /// # Errors
    /// What is wrong with the fields, in words.
    pub fn read<L: DeserializeOwned>(&self) -> Result<L, String> {
        let text = serde_json::to_string(&Fields(&self.fields)).expect("JSON is plain data");
        serde_json::from_str(&text).map_err(|error| {
            let text = error.to_string();
            // The place is in no file.
            text.rsplit_once(" at line ").map_or(text.clone(), |(problem, _)| problem.to_owned())
        })
    }
}

impl Serialize for ParamsLiteral {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(1 + self.fields.len()))?;
        map.serialize_entry(SCHEME, &self.scheme)?;
        self.fields.iter().try_for_each(|(name, value)| map.serialize_entry(name, value))?;
        map.end()
    }
}

impl<'de> Deserialize<'de> for ParamsLiteral {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Json::Object(mut fields) = Json::deserialize(deserializer)? else {
            return Err(D::Error::custom("parameters are an object"));
        };
        let place = fields.iter().position(|(name, _)| name == SCHEME);
        let place = place.ok_or_else(|| D::Error::missing_field(SCHEME))?;
        match fields.remove(place).1 {
            Json::Text(scheme) => Ok(Self { scheme, fields }),
            _ => Err(D::Error::custom("the scheme of parameters is a text")),
        }
    }
}

/// JSON whose objects keep the order of their fields.
#[derive(Clone, Debug, PartialEq)]
enum Json {
    Null,
    Bool(bool),
    Number(Number),
    Text(String),
    List(Vec<Self>),
    Object(Vec<(String, Self)>),
}

/// The fields of an object.
struct Fields<'a>(&'a [(String, Json)]);

impl Serialize for Fields<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, value)| (name, value)))
    }
}

impl Serialize for Json {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Null => serializer.serialize_unit(),
            Self::Bool(value) => value.serialize(serializer),
            Self::Number(value) => value.serialize(serializer),
            Self::Text(value) => value.serialize(serializer),
            Self::List(values) => values.serialize(serializer),
            Self::Object(fields) => Fields(fields).serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for Json {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(AnyJson)
    }
}

struct AnyJson;

impl<'de> Visitor<'de> for AnyJson {
    type Value = Json;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E: Error>(self) -> Result<Json, E> {
        Ok(Json::Null)
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Json, E> {
        Ok(Json::Bool(value))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Json, E> {
        Ok(Json::Number(value.into()))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Json, E> {
        Ok(Json::Number(value.into()))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Json, E> {
        Number::from_f64(value).map(Json::Number).ok_or_else(|| E::custom("a number is infinite"))
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<Json, E> {
        Ok(Json::Text(value.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Json, A::Error> {
        let mut values = Vec::new();
        while let Some(value) = list.next_element()? {
            values.push(value);
        }
        Ok(Json::List(values))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<Json, A::Error> {
        let mut fields = Vec::new();
        while let Some(field) = object.next_entry()? {
            fields.push(field);
        }
        Ok(Json::Object(fields))
    }
}

#[cfg(test)]
mod tests {
    use asanoha_ckks::CkksLiteral;
    use asanoha_lattice::RlweLiteral;

    use super::*;

    #[test]
    fn literals_are_read_as_they_were_written_and_in_their_order() {
        let rlwe = RlweLiteral::new(32, vec![193, 257], vec![u64::MAX], 1);
        let literal = CkksLiteral::new(rlwe, 0.1 + 0.2);
        let written = ParamsLiteral::new(SchemeName::Ckks, &literal);
        let text = serde_json::to_string(&written).unwrap();
        let own = serde_json::to_string(&literal).unwrap();
        assert_eq!(text, format!("{{\"scheme\":\"ckks\",{}", &own[1..]));
        let read: ParamsLiteral = serde_json::from_str(&text).unwrap();
        assert_eq!((read.scheme(), &read), ("ckks", &written));
        assert_eq!(read.read::<CkksLiteral>(), Ok(literal));
    }

    #[test]
    fn fields_that_a_literal_does_not_have_are_refused() {
        let text = r#"{"scheme": "ckks", "rlwe": 1}"#;
        let read = serde_json::from_str::<ParamsLiteral>(text).unwrap().read::<CkksLiteral>().unwrap_err();
        assert!(read.starts_with("invalid type: integer `1`"), "{read}");
        assert!(serde_json::from_str::<ParamsLiteral>("{}").is_err());
    }

    #[test]
    fn a_scheme_or_a_field_that_stands_twice_is_refused() {
        let rlwe = RlweLiteral::new(32, vec![193, 257], vec![u64::MAX], 1);
        let written = ParamsLiteral::new(SchemeName::Ckks, &CkksLiteral::new(rlwe, 30.0));
        let text = serde_json::to_string(&written).unwrap();
        let (start, end) = text.split_at(text.len() - 1);
        for (more, says) in
            [(r#","scheme":"bgv""#, "unknown field `scheme`"), (r#","rlwe":{}"#, "duplicate field `rlwe`")]
        {
            let twice: ParamsLiteral = serde_json::from_str(&format!("{start}{more}{end}")).unwrap();
            let problem = twice.read::<CkksLiteral>().unwrap_err();
            assert!(problem.starts_with(says), "{problem}");
        }
    }
}
