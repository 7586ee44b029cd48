"""Actions of a person with a browser."""

from playwright.sync_api import Locator, Page

from .service import PASSWORD


def follow(button: Locator) -> None:
    """Click what leads to another page, and wait until that page and its scripts are loaded.

    A click alone may return before the browser has sent its request, which the next step of a test
    would then cancel, or look for its outcome on the page before.
    """
    with button.page.expect_navigation():
        button.click()


def log_in(page: Page, login: str, password: str = PASSWORD) -> None:
    page.get_by_label("Login or email").fill(login)
    page.get_by_label("Password", exact=True).fill(password)
    follow(page.get_by_role("main").get_by_role("button", name="Log in"))


def log_in_by_names(page: Page, login: str, password: str = PASSWORD) -> None:
    """Fill in the form by the names of its fields, in whatever language the page is."""
    page.locator("[name=username]").fill(login)
    page.locator("[name=password]").fill(password)
    follow(page.locator("main .actions button"))


def log_out(page: Page) -> None:
    """Open the menu of the account and press its button."""
    page.locator("header .menu").click()
    follow(page.locator("#menu button"))


def sign_up(page: Page, login: str, password: str = PASSWORD) -> None:
    page.get_by_label("Login", exact=True).fill(login)
    page.get_by_label("Email").fill(f"{login}@example.org")
    page.get_by_label("Password").fill(password)
    follow(page.get_by_role("main").get_by_role("button", name="Sign up"))
