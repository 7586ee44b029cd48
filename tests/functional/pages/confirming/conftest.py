"""A forum that has addresses confirmed, and somebody who has signed up."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.functional.conftest import close_application
from tests.functional.forum import Caller, Forum, make_app
from tests.functional.pages.conftest import OPEN
from tests.functional.pages.visitor import Mail, Visitor, sent

from .account import GOOD, caller_of, link


@pytest.fixture(scope="package")
def open_application(database_url: str, ini_dir: Path) -> Iterator[Any]:
    """The application with all pages, whose setting for this has its default."""
    settings = {**OPEN, "accounts.confirm_email": "auto"}
    application = make_app(database_url, ini_dir, **settings)
    yield application
    close_application(application)


@pytest.fixture
def nina(forum: Forum, visitor: Visitor) -> Caller:
    """Somebody who has just signed up."""
    assert visitor.send("/signup", **GOOD).status_int == 303
    return caller_of(forum)


@pytest.fixture
def confirmed(nina: Caller, visitor: Visitor, mail: Mail) -> Caller:
    """Somebody who has confirmed their address."""
    assert sent(visitor.form(link(mail))).status_int == 303
    return nina
