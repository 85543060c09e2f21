//! The OpenAPI document, made of the routes.

use serde_json::{Map, Value, json};

use super::route::{BodyType, Operation};

fn content(shape: BodyType) -> Option<Value> {
    match shape {
        BodyType::Nothing => None,
        BodyType::Json(name) => {
            let schema = json!({ "$ref": format!("#/components/schemas/{name}") });
            Some(json!({ "application/json": { "schema": schema } }))
        }
        BodyType::Bytes => Some(json!({ "application/octet-stream": {} })),
        BodyType::Text => Some(json!({ "text/plain": {} })),
    }
}

fn parameter(name: &str, place: &str, description: &str) -> Value {
    json!({
        "name": name, "in": place, "required": place == "path", "description": description,
        "schema": { "type": "string" }
    })
}

/// The parts of a path in braces.
fn path_parameters(path: &str) -> impl Iterator<Item = &str> {
    path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'))
}

fn operation(operation: &Operation) -> Value {
    let describe = |name: &str| match name {
        "plan" => "BLAKE3 digest of the plan, 64 hexadecimal digits",
        "digest" => "BLAKE3 digest of the file, 64 hexadecimal digits",
        "kind" => "keys or inputs",
        "upload" => "identifier of the upload, 32 hexadecimal digits",
        _ => "identifier of the job, 32 hexadecimal digits",
    };
    let mut parameters: Vec<Value> =
        path_parameters(operation.path).map(|name| parameter(name, "path", describe(name))).collect();
    parameters.extend(operation.query.iter().map(|(name, text)| parameter(name, "query", text)));
    parameters.extend(operation.headers.iter().map(|(name, text)| parameter(name, "header", text)));
    let mut responses = Map::new();
    for &(status, shape) in operation.gives {
        let mut response = json!({ "description": "done" });
        if let Some(content) = content(shape) {
            response["content"] = content;
        }
        responses.insert(status.to_string(), response);
    }
    let own: &[u16] = if operation.needs_token { &[401] } else { &[] };
    for status in own.iter().chain(operation.refuses) {
        let content = content(BodyType::Json("Refusal"));
        responses.insert(status.to_string(), json!({ "description": "refused", "content": content }));
    }
    let security = if operation.needs_token { json!([{ "token": [] }]) } else { json!([]) };
    let mut described = json!({
        "summary": operation.summary, "parameters": parameters, "responses": responses, "security": security
    });
    if let Some(content) = content(operation.takes) {
        described["requestBody"] = json!({ "required": true, "content": content });
    }
    described
}

/// An object whose keys have these types; a `?` after a type allows null or no value.
fn object(keys: &[(&str, &str)]) -> Value {
    let mut properties = Map::new();
    let mut required = Vec::new();
    for &(name, kind) in keys {
        let optional = kind.strip_suffix('?');
        let kinds = optional.map_or_else(|| json!(kind), |kind| json!([kind, "null"]));
        properties.insert(name.to_owned(), json!({ "type": kinds }));
        if optional.is_none() {
            required.push(name);
        }
    }
    json!({ "type": "object", "properties": properties, "required": required })
}

/// The schemas that routes name.
fn schemas() -> Value {
    json!({
        "Document": { "type": "object" },
        "Plan": { "type": "object" },
        "Plans": {
            "type": "object",
            "properties": { "plans": { "type": "array", "items": { "$ref": "#/components/schemas/PlanView" } } },
            "required": ["plans"]
        },
        "PlanView": object(&[("digest", "string"), ("name", "string?"), ("scheme", "string"), ("bytes", "integer")]),
        "Refusal": object(&[("kind", "string"), ("message", "string"), ("retry_after_s", "integer?")]),
        "Announcement": object(&[("kind", "string"), ("plan", "string"), ("digest", "string"), ("bytes", "integer")]),
        "Begun": object(&[("complete", "object?"), ("upload", "object?")]),
        "Upload": object(&[("id", "string"), ("stored_bytes", "integer"), ("bytes", "integer")]),
        "Content": object(&[
            ("kind", "string"), ("plan", "string"), ("digest", "string"), ("bytes", "integer"), ("key", "string"),
            ("expires_unix_s", "integer"),
        ]),
        "Submission": object(&[("plan", "string"), ("keys", "string"), ("inputs", "string")]),
        "Job": object(&[
            ("id", "string"), ("plan", "string"), ("keys", "string"), ("inputs", "string"), ("state", "string"),
            ("attempts", "integer"), ("predicted_s", "number"), ("low_memory", "boolean"),
            ("submitted_unix_s", "integer"), ("started_unix_s", "integer?"), ("ended_unix_s", "integer?"),
            ("expires_unix_s", "integer?"), ("ahead", "integer?"), ("wait_s", "number?"), ("fraction", "number?"),
            ("remaining_s", "number?"), ("is_cancelled", "boolean?"), ("bytes", "integer?"), ("digest", "string?"),
            ("seconds", "number?"), ("message", "string?"),
        ]),
    })
}

/// The document of the routes.
pub(super) fn document(operations: &[Operation]) -> Value {
    let mut paths = Map::new();
    for one in operations {
        let path = paths.entry(one.path).or_insert_with(|| json!({}));
        path[one.method.as_str().to_ascii_lowercase()] = operation(one);
    }
    json!({
        "openapi": "3.1.0",
        "info": { "title": "asanoha service", "version": env!("CARGO_PKG_VERSION") },
        "paths": paths,
        "components": {
            "schemas": schemas(),
            "securitySchemes": { "token": { "type": "http", "scheme": "bearer" } }
        }
    })
}
