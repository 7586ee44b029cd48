"""Actions of a person with a browser."""

from playwright.sync_api import Page

from .service import PASSWORD


def log_in(page: Page, login: str, password: str = PASSWORD) -> None:
    page.get_by_label("Login or email").fill(login)
    page.get_by_label("Password", exact=True).fill(password)
    page.get_by_role("main").get_by_role("button", name="Log in").click()


def log_in_by_names(page: Page, login: str, password: str = PASSWORD) -> None:
    """Fill in the form by the names of its fields, in whatever language the page is."""
    page.locator("[name=username]").fill(login)
    page.locator("[name=password]").fill(password)
    page.locator("main .actions button").click()


def log_out(page: Page) -> None:
    """Open the menu of the account and press its button."""
    page.locator("header .menu summary").click()
    page.locator("header .menu form button").click()


def sign_up(page: Page, login: str, password: str = PASSWORD) -> None:
    page.get_by_label("Login", exact=True).fill(login)
    page.get_by_label("Email").fill(f"{login}@example.org")
    page.get_by_label("Password").fill(password)
    page.get_by_role("main").get_by_role("button", name="Sign up").click()
