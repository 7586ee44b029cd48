"""Processing submitted forms: validate and act, or show the form again with its errors."""

from collections.abc import Callable
from typing import Any

import colander
from pyramid.response import Response

from ..errors import Invalid, RateLimited
from ..schemas.validation import validate
from ..web.api.request import ForumRequest

WHOLE_FORM = ""
"""The key of errors that concern no single field."""

Values = dict[str, Any]
"""The values of a template."""
Submit = Callable[[Values], Response | Values]


def form(
    *, form_values: Values | None = None, errors: Values | None = None, **others: Any
) -> Values:
    """Return the values of a form's template.

    form_values: what the fields contain, by name; errors: what is wrong, by name of the field.
    """
    return {"form_values": form_values or {}, "errors": errors or {}, **others}


def in_order(schema: colander.SchemaNode, errors: Values) -> Values:
    """Return the errors of a form in the order of its fields, so that the first is the first."""
    names = [node.name for node in schema.children]
    places = {name: names.index(name) for name in errors if name in names}
    return dict(sorted(errors.items(), key=lambda item: places.get(item[0], len(names))))


def process_form(
    request: ForumRequest, schema: colander.SchemaNode, submit: Submit, **others: Any
) -> Response | Values:
    """Return what `submit` returns for the validated values, or the form with its errors.

    submit: may raise Invalid, which names a field, or RateLimited; others: further values of the
    template. The form contains again what was submitted; the template must not repeat passwords.
    """
    response = request.response
    try:
        return submit(validate(schema, request.parameters))
    except Invalid as error:
        errors = in_order(schema, {error.field: error.reason, **error.others})
        response.status_int = 400
    except RateLimited as error:
        errors = {WHOLE_FORM: error.args[0]}
        response.status_int = 429
        response.headers["Retry-After"] = str(error.retry_after)
    form_values = {node.name: request.parameters.get(node.name) or "" for node in schema.children}
    return form(form_values=form_values, errors=errors, **others)
