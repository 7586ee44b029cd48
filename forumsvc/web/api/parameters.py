"""The parameters of a request, from its query and body, parsed strictly."""

import json
import re
from itertools import islice
from typing import Any, NoReturn

from multipart import MultipartError, MultipartParser, MultipartPart, parse_options_header

from ...errors import Malformed, UnsupportedBody
from ...text.ids import parse_integer
from ...text.messages import Message
from ...text.urlencoded import FormError, parse_urlencoded

_MAX_FIELDS = 2000
_LARGE_JSON = 256 * 1024
_MAX_JSON_TOKENS = 20_000
"""In a large JSON document: strings, and the characters before other values. Each value takes up to
thirty times the memory of its text."""
_JSON_TOKEN = re.compile(rb'"(?:[^"\\]++|\\.)*+"?|[,\[{]', re.DOTALL)
_WITH_BODY = frozenset({"POST", "PUT", "PATCH", "DELETE"})

Values = dict[str, list[Any]]


class _Array(list[Any]):
    """The elements of a JSON array: always several values, never a single one."""


class Parameters:
    """Values by name. JSON values keep their type; each element of a JSON array is a value."""

    def __init__(self, query: Values, body: Values) -> None:
        """The body takes precedence over the query."""
        self._query = query
        self._body = body

    @property
    def is_empty(self) -> bool:
        """Whether there are no parameters."""
        return not (self._query or self._body)

    @property
    def names(self) -> list[str]:
        """The names of all parameters, as they were sent."""
        return [*dict.fromkeys((*self._query, *self._body))]

    def of_body(self) -> "Parameters":
        """Return the parameters of the body alone."""
        return Parameters({}, self._body)

    def get(self, name: str, default: Any = None) -> Any:
        """Return the last value of that name, or `default` if there is none (or a JSON null).

        A JSON array is returned whole; the schema refuses it.
        """
        values = self._values(name)
        if isinstance(values, _Array):
            return [*values]
        return values[-1] if values else default

    def get_all(self, name: str) -> list[Any] | None:
        """Return the values of `name`, `name[]`, or `name[0]`, `name[1]`, …; None without any."""
        values = self._values(name)
        if values is None:
            values = self._values(f"{name}[]")
        return self._indexed(name) if values is None else values

    def _indexed(self, name: str) -> list[Any] | None:
        index_of = re.compile(rf"{re.escape(name)}\[([0-9]{{1,9}})\]")
        for source in (self._body, self._query):
            match = {
                int(index[1]): values[-1]
                for key, values in source.items()
                if (index := index_of.fullmatch(key)) and values
            }
            if match:
                return [match[number] for number in sorted(match)]
        return None

    def get_from_query(self, name: str) -> Any:
        """Return the last value of that name in the query, or what `get` returns without one."""
        return self._query[name][-1] if name in self._query else self.get(name)

    def get_from_query_and_body(self, name: str) -> list[Any]:
        """Return the values of that name in the query and the body."""
        return [*self._query.get(name, ()), *self._body.get(name, ())]

    def _values(self, name: str) -> list[Any] | None:
        result = self._body.get(name)
        return self._query.get(name) if result is None else result


def read_parameters(environ: dict[str, Any]) -> Parameters:
    """Parse the parameters of a WSGI request. Raises Malformed, UnsupportedBody.

    An uploaded file is a `multipart.MultipartPart`; the request closes those of `open_parts`.
    """
    query = _query(environ.get("QUERY_STRING", ""))
    body: Values = {}
    if environ["REQUEST_METHOD"] in _WITH_BODY:
        body = _body(environ)
    return Parameters(query, body)


def open_parts(parameters: Parameters) -> list[MultipartPart]:
    """Return the parts of a multipart form that have open files."""
    return _files(parameters._body)


def _files(body: Values) -> list[MultipartPart]:
    values = (value for values in body.values() for value in values)
    return [value for value in values if isinstance(value, MultipartPart)]


def _query(text: str) -> Values:
    # WSGI decodes bytes as Latin-1.
    return _pairs(text.encode("latin-1"), "the query string") if text else {}


def _pairs(raw: bytes, where: str) -> Values:
    values: Values = {}
    try:
        pairs = parse_urlencoded(raw, _MAX_FIELDS)
    except FormError as error:
        raise Malformed(f"{where} {error}") from None
    for name, value in pairs:
        values.setdefault(name, []).append(value)
    return values


def _utf8(raw: bytes, where: str) -> str:
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        raise Malformed(f"{where} holds bytes that are not UTF-8") from None


def _body(environ: dict[str, Any]) -> Values:
    if environ.get("webob.is_body_seekable"):
        # An earlier attempt at the same request has read the body.
        environ["wsgi.input"].seek(0)
    kind, options = parse_options_header(environ.get("CONTENT_TYPE", ""))
    if kind == "multipart/form-data":
        return _multipart(environ, options)
    if kind == "application/json" or kind.endswith("+json"):
        return _json(_raw(environ))
    if kind == "application/x-www-form-urlencoded":
        return _pairs(_raw(environ), "the form")
    if _raw(environ):
        raise UnsupportedBody(Message("The body must be a form or JSON, as its Content-Type says."))
    return {}


def _raw(environ: dict[str, Any]) -> bytes:
    length = int(environ.get("CONTENT_LENGTH") or 0)
    return environ["wsgi.input"].read(length) if length else b""


def _multipart(environ: dict[str, Any], options: dict[str, str]) -> Values:
    boundary = options.get("boundary", "")
    if not boundary:
        raise Malformed("the multipart form names no boundary")
    values: Values = {}
    length = int(environ.get("CONTENT_LENGTH") or 0)
    if not length:
        return values
    try:
        # Names of files are in any charset (RFC 7578 §4.2, §5.1.3), those of fields in UTF-8.
        for part in MultipartParser(
            environ["wsgi.input"], boundary, length, charset="latin-1", part_limit=_MAX_FIELDS
        ):
            values.setdefault(part.name, []).append(part)
        return {
            _utf8(name.encode("latin-1"), "the name of a field"): [_value(part) for part in parts]
            for name, parts in values.items()
        }
    except (MultipartError, Malformed) as error:
        _close(values)
        raise Malformed(f"the multipart form cannot be read: {error.args[0]}") from None


def _value(part: MultipartPart) -> str | MultipartPart:
    """Return the text of a part, or a file: a name of it may be missing (RFC 7578 §4.2)."""
    if part.filename is not None or "filename*" in part.headers["Content-Disposition"].lower():
        return part
    try:
        text = part.raw.decode()
    except UnicodeDecodeError:
        return part
    # A long one is in a temporary file.
    part.close()
    return text


def _close(values: Values) -> None:
    for part in _files(values):
        part.close()


def _json(raw: bytes) -> Values:
    if not raw.strip():
        return {}
    if len(raw) > _LARGE_JSON:
        _check_json_size(raw)
    try:
        document = json.loads(
            _utf8(raw, "the JSON body"),
            object_pairs_hook=_object,
            parse_constant=_constant,
            parse_int=_integer,
        )
    except RecursionError:
        raise Malformed("the JSON body is nested too deeply") from None
    except ValueError as error:
        raise Malformed(f"the body is not JSON: {error}") from None
    if not isinstance(document, dict):
        raise Malformed("the JSON body is not an object")
    return {
        name: _Array(value) if isinstance(value, list) else [value]
        for name, value in document.items()
        if value is not None
    }


def _check_json_size(raw: bytes) -> None:
    """Refuse a document with too many values, which would take too much memory."""
    pieces = sum(1 for _ in islice(_JSON_TOKEN.finditer(raw), _MAX_JSON_TOKENS + 1))
    if pieces > _MAX_JSON_TOKENS:
        raise Malformed("the JSON body has too many values")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    document = dict(pairs)
    if len(document) != len(pairs):
        raise ValueError("an object has the same name twice")
    return document


def _constant(word: str) -> NoReturn:
    raise ValueError(f"{word} is no JSON")


def _integer(digits: str) -> int:
    number = parse_integer(digits)
    assert number is not None, "JSON's grammar of integers is within ours"  # noqa: S101
    return number
