"""Processing submitted forms: validate and act, or show the form response with its errors."""

from collections.abc import Callable
from typing import Any

import colander
from pyramid.response import Response

from ..errors import Invalid, RateLimited
from ..schemas.validation import validate
from .page_context import PageContext
from .templating import render_page

WHOLE_FORM = ""
"""The key of errors that concern no single field."""

Submit = Callable[[dict[str, Any]], Response]


def process_form(
    context: PageContext,
    schema: colander.SchemaNode,
    submit: Submit,
    template: str,
    **values: Any,
) -> Response:
    """Return the response of `submit` to the validated values, or the form with its errors.

    submit: may raise Invalid, which names a field, or RateLimited; template: the page of the form,
    rendered with `values` and `form_values` (what was submitted). It must not repeat passwords.
    """
    request = context.request
    form_values = {node.name: request.parameters.get(node.name) or "" for node in schema.children}
    try:
        return submit(validate(schema, request.parameters))
    except Invalid as error:
        response = render_page(
            context, template, form_values=form_values, errors={error.field: error.reason}, **values
        )
        response.status_int = 400
    except RateLimited as error:
        response = render_page(
            context, template, form_values=form_values, errors={WHOLE_FORM: str(error)}, **values
        )
        response.status_int = 429
        response.headers["Retry-After"] = str(error.retry_after)
    return response
