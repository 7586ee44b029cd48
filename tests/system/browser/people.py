"""Actions of a person with a browser."""

from playwright.sync_api import Page

from .service import PASSWORD


def log_in(page: Page, login: str, password: str = PASSWORD) -> None:
    """Fill in the form of the page and submit it."""
    page.get_by_label("Login or email").fill(login)
    page.get_by_label("Password", exact=True).fill(password)
    page.get_by_role("main").get_by_role("button", name="Log in").click()


def sign_up(page: Page, login: str, password: str = PASSWORD) -> None:
    """Fill in the form of the page and submit it."""
    page.get_by_label("Login", exact=True).fill(login)
    page.get_by_label("Email").fill(f"{login}@example.org")
    page.get_by_label("Password").fill(password)
    page.get_by_role("main").get_by_role("button", name="Sign up").click()
