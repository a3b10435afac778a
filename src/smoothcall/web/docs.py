"""The API's own page, made from its OpenAPI document."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from smoothcall.web import pages

router = APIRouter(include_in_schema=False)
EXAMPLE = """\
import httpx

with httpx.Client(base_url="{base}") as client:
    token = client.post("/api/people").json()["token"]
    client.headers["Authorization"] = f"Bearer {{token}}"
    table = client.post("/api/tables", json={{"game": "leduc", "opponents": ["always-call"]}}).json()
    while not table["hand"]["over"]:
        letter = table["hand"]["choices"][0]["letter"]  # the first legal move
        move = {{"letter": letter, "hand": table["hand"]["number"], "move": table["hand"]["move"]}}
        table = client.post(f"/api/tables/{{table['id']}}/act", json=move).json()
    for event in table["hand"]["events"]:
        print(event["text"])
    table = client.post(f"/api/tables/{{table['id']}}/next", json={{"hand": table["hand"]["number"]}}).json()
"""


@dataclass(frozen=True, slots=True)
class Field:
    name: str
    kind: str
    required: bool
    said: str


@dataclass(frozen=True, slots=True)
class Operation:
    method: str
    path: str
    summary: str
    tag: str
    parameters: tuple[Field, ...]
    body: tuple[Field, ...]
    answers: tuple[tuple[str, str, str], ...]  # (status, description, type)


@router.get("/api/docs")
async def docs(request: Request) -> Response:
    document = request.app.openapi()
    base = str(request.base_url).rstrip("/")
    return pages.render(
        request,
        "docs.html",
        page="api",
        operations=operations(document),
        schemas=schemas(document),
        example=EXAMPLE.format(base=base),
    )


def operations(document: dict[str, Any]) -> list[Operation]:
    found = []
    for path, methods in document["paths"].items():
        for method, about in methods.items():
            body = about.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema")
            found.append(
                Operation(
                    method=method,
                    path=path,
                    summary=about.get("description", ""),
                    tag=about["tags"][0],
                    parameters=tuple(
                        Field(each["name"], kind_of(each["schema"]), each["required"], each.get("description", ""))
                        for each in about.get("parameters", ())
                    ),
                    body=_fields(document, body["$ref"]) if body is not None else (),
                    answers=tuple(_answer(status, each) for status, each in about["responses"].items()),
                )
            )
    return found


def schemas(document: dict[str, Any]) -> list[tuple[str, str, tuple[Field, ...]]]:
    """(name, description, fields) of every type that answers are made of."""
    known = document["components"]["schemas"]
    return [
        (name, about.get("description", ""), _fields(document, f"#/components/schemas/{name}"))
        for name, about in known.items()
        if name not in ("HTTPValidationError", "ValidationError")
    ]


def _answer(status: str, about: dict[str, Any]) -> tuple[str, str, str]:
    content = about.get("content", {})
    schema = content.get("application/json", {}).get("schema", {})
    return status, about["description"], kind_of(schema) if schema else ", ".join(content)


def _fields(document: dict[str, Any], reference: str) -> tuple[Field, ...]:
    schema = document["components"]["schemas"][reference.rsplit("/", 1)[-1]]
    required = schema.get("required", ())
    return tuple(
        Field(name, kind_of(about), name in required, about.get("description", ""))
        for name, about in schema.get("properties", {}).items()
    )


def kind_of(schema: dict[str, Any]) -> str:
    """Return a type in a few words: `list of TableView`, `integer or null`."""
    if "$ref" in schema:
        return str(schema["$ref"].rsplit("/", 1)[-1])
    if "anyOf" in schema:
        return " or ".join(dict.fromkeys(map(kind_of, schema["anyOf"])))
    if "enum" in schema or "const" in schema:
        return " or ".join(f'"{each}"' for each in schema.get("enum", [schema.get("const")]))
    if schema.get("type") == "array":
        if "prefixItems" in schema:
            return f"[{', '.join(map(kind_of, schema['prefixItems']))}]"
        return f"list of {kind_of(schema.get('items', {}))}"
    if schema.get("type") == "object" and isinstance(schema.get("additionalProperties"), dict):
        return f"{kind_of(schema['additionalProperties'])} by name"
    return str(schema.get("format") or schema.get("type") or "anything")
