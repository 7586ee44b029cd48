"""Each setting refuses what is not allowed with one line: the key, the value, what is allowed."""

import re
from pathlib import Path

import plaster
import pytest

import forumsvc
from forumsvc.services.accounts import email_confirmation
from forumsvc.settings import (
    DECLARED,
    DEVELOPMENT_SECRET,
    Settings,
    SettingsError,
    find_errors,
)
from forumsvc.settings.masking import mask_url
from forumsvc.settings.setting_types import NON_EMPTY, TEXT
from tests.cases import each

ROOT = Path(__file__).parents[2]
GOOD = {
    "site.url": "https://forum.example",
    "sqlalchemy.url": "sqlite:///forum.sqlite",
    "session.secret": "x" * 32,
}
PRODUCTION = {"site.environment": "production", **GOOD}
WRONG: dict[str, list[str]] = {
    "site.environment": ["", "test", "Production"],
    "site.name": ["", "  "],
    "site.url": ["example.org", "ftp://example.org", "http://", "https://a b"],
    "site.user_url": ["/users", "/{name}", "/ {login}"],
    "sqlalchemy.url": ["", "sqlite://", "sqlite:///:memory:", "mysql://x/y", "forum.sqlite"],
    "database.lock_timeout_seconds": ["0", "3601", "10s"],
    "http.max_body": ["1023", "12MB", "1_000_000", "٣٣٣٣"],
    "http.cors_origins": ["example.org", "https://example.org/path", "ftp://example.org", "* x"],
    "topics.view_count_flush_seconds": ["0", "3601", "1e3", "nan", "inf"],
    "oauth.require_pkce": ["yes", "True", "", "1"],
    "mail.sender": ["forum", "a@b@c", "förum@example.org"],
    "session.secret": ["", "short", "x" * 31],
}
"""A setting of each type; every other one is tried with one value."""


def refusal(**written: str) -> str:
    with pytest.raises(SettingsError) as caught:
        Settings({**GOOD, **written})
    line = str(caught.value)
    assert "\n" not in line
    return line


@each(("name", "value"), [(n, value) for n in WRONG for value in WRONG[n]])
def test_a_wrong_value_is_refused_by_key_value_and_what_is_allowed(name, value):
    line = refusal(**{name: value})
    declared = next(setting for setting in DECLARED if setting.name == name)
    shown = "the value given" if declared.secret else repr(value.strip())
    assert line == f"{name}: {shown} is not allowed; it must be {declared.type.allowed}"


def test_the_sender_of_mail_is_in_ascii():
    settings = Settings({**GOOD, "mail.sender": "forum@münchen.example"})
    assert settings["mail.sender"] == "forum@xn--mnchen-3ya.example"


def test_a_secret_is_never_shown():
    assert "hunter2" not in refusal(**{"session.secret": "hunter2"})
    assert "hunter2" not in refusal(**{"sqlalchemy.url": "mysql://me:hunter2@host/db"})
    settings = Settings({**GOOD, "session.secret": "hunter2" * 10})
    assert "hunter2" not in " ".join(value for _, value, _ in settings.displayed())


@each(
    ("url", "shown"),
    [
        ("postgresql://u:p@h/d", "postgresql://u:********@h/d"),
        ("postgresql://u:p@s/w@h:5/d?host=/run", "postgresql://u:********@h:5/d?host=/run"),
        (
            "postgresql:///d?user=u&password=p&host=h",
            "postgresql:///d?user=u&password=********&host=h",
        ),
        ("redis://:p@h:1/0", "redis://:********@h:1/0"),
        ("sqlite:////var/a:b@c/forum.sqlite", "sqlite:////var/a:b@c/forum.sqlite"),
    ],
)
def test_an_address_is_shown_without_its_passwords(url, shown):
    assert mask_url(url) == shown


def test_every_setting_can_be_wrong():
    for setting in DECLARED:
        if setting.type is not TEXT and setting.name not in WRONG:
            value = "" if setting.type is NON_EMPTY else "no \x7f value of any kind"
            assert setting.name in refusal(**{setting.name: value})


@each("name", sorted(GOOD))
def test_a_missing_key_is_named(name):
    with pytest.raises(SettingsError, match=rf"^{name}: missing; it must be "):
        Settings({key: value for key, value in PRODUCTION.items() if key != name})


@each(
    ("name", "hint"),
    [
        ("http.maxbody", "did you mean http.max_body?"),
        ("posts.jjjjjjjjjjjjj", "known here: posts.max_title"),
        ("account.registration", "did you mean accounts.registration?"),
        ("Mail.host", "did you mean mail.host?"),
        ("registration", "did you mean accounts.registration?"),
        ("entirely.different", "forumsvc settings --describe lists them all"),
    ],
)
def test_a_key_that_nobody_reads_is_refused(name, hint):
    line = refusal(**{name: "1"})
    assert line.startswith(f"{name}: there is no such setting; ")
    assert hint in line


@each("name", ["pyramid.includes", "use", "filter-with", "debugtoolbar.hosts"])
def test_keys_that_pyramid_reads_are_passed_over(name):
    assert name not in Settings({**GOOD, name: "x"})


def test_a_variable_that_is_not_set_is_named(monkeypatch):
    monkeypatch.delenv("FORUM_TEST_URL", raising=False)
    line = refusal(**{"sqlalchemy.url": "${FORUM_TEST_URL}"})
    assert line.startswith("sqlalchemy.url: the environment variable FORUM_TEST_URL is not set; ")


def test_production_refuses_developments_secret():
    assert refusal(**{"session.secret": DEVELOPMENT_SECRET}).startswith("session.secret: ")
    developing = {"site.environment": "development", "session.secret": DEVELOPMENT_SECRET}
    assert Settings({**GOOD, **developing})["site.environment"] == "development"


@each(
    ("url", "read"),
    [
        ("postgres://u:p@h/d", "postgresql+psycopg://u:p@h/d"),
        ("postgresql://u:p@h/d", "postgresql+psycopg://u:p@h/d"),
        ("postgresql+psycopg://u:p@h/d", "postgresql+psycopg://u:p@h/d"),
        ("sqlite:////var/forum.sqlite", "sqlite:////var/forum.sqlite"),
    ],
)
def test_a_database_may_be_named_as_people_do(url, read):
    assert Settings({**GOOD, "sqlalchemy.url": url})["sqlalchemy.url"] == read


@each(
    ("name", "value", "read"),
    [
        ("photos.dir", "~/photos", "/home/ann/photos"),
        ("backup.dir", "~", "/home/ann"),
        ("site.logo", "logo.png", "logo.png"),
        ("sqlalchemy.url", "sqlite:///~/forum.sqlite", "sqlite:////home/ann/forum.sqlite"),
        ("sqlalchemy.url", "sqlite:///var/forum.sqlite", "sqlite:////etc/forum/var/forum.sqlite"),
        ("sqlalchemy.url", "sqlite:////var/forum.sqlite", "sqlite:////var/forum.sqlite"),
    ],
)
def test_a_path_begins_at_the_home_or_at_the_folder_of_the_ini_file(name, value, read, monkeypatch):
    monkeypatch.setenv("HOME", "/home/ann")
    assert Settings({**GOOD, name: value}, Path("/etc/forum"))[name] == read


@each("name", ["photos.dir", "mail.dir", "sqlalchemy.url", "site.about"])
@each("comment", ["  # where", " ; where"])
def test_a_comment_behind_a_path_is_refused(name, comment):
    value = f"sqlite:////var/forum{comment}"
    assert "a path" in refusal(**{name: value}) or "sqlite:///PATH" in refusal(**{name: value})


@each("folder", ["/srv/50%", "/srv/forum?", "/srv/c#"])
def test_a_folder_whose_name_means_something_in_an_ini_file_or_a_url_is_refused(folder):
    with pytest.raises(SettingsError, match="cannot be in a folder with"):
        Settings(GOOD, Path(folder))


def test_the_shipped_production_ini_asks_for_three_values_and_no_more(monkeypatch):
    written = plaster.get_settings(str(ROOT / "production.ini"), "app:main")
    values = {
        "SITE_URL": "https://forum.example",
        "DATABASE_URL": "postgresql:///forum",
        "SESSION_SECRET": "x" * 32,
    }
    for name in values:
        monkeypatch.delenv(name, raising=False)
    for name, value in values.items():
        with pytest.raises(SettingsError, match=r"the environment variable [A-Z_]+ is not set"):
            Settings(written)
        monkeypatch.setenv(name, value)
    assert Settings(written)["site.url"] == "https://forum.example"


@each("environment", [{}, {"site.environment": "production"}])
@each("delivery", ["none", "folder", "smtp"])
def test_production_needs_its_address(environment, delivery):
    written = {"site.url": "", "mail.delivery": delivery, **environment}
    if written == {"site.url": "", "mail.delivery": "none"}:
        warning = Settings({**GOOD, **written}).site_url_warning
        assert warning is not None
        assert warning.startswith("site.url is not set")
        return
    line = refusal(**written)
    assert line.startswith("site.url: missing; ")
    assert "it must be the http:// or https:// address " in line
    developing = {"site.environment": "development", "site.url": "", "mail.delivery": "folder"}
    assert Settings({**GOOD, **developing})["site.url"] == ""


def test_a_pooler_needs_the_url_past_it():
    assert refusal(**{"sqlalchemy.pooler": "true"}).startswith("sqlalchemy.direct_url: missing; ")


def test_a_wrong_setting_ends_the_process_with_the_line():
    with pytest.raises(SystemExit) as caught:
        forumsvc.main({}, **GOOD, **{"http.max_body": "x"})
    allowed = "a whole number from 1024 to 1073741824"
    assert str(caught.value.code) == (
        f"forumsvc: http.max_body: 'x' is not allowed; it must be {allowed}"
    )


def test_all_that_is_wrong_is_found_at_once():
    wrong = {"site.nmae": "x", "http.max_body": "big", "session.secret": "short"}
    found = find_errors({**GOOD, **wrong})
    assert sorted(line.partition(":")[0] for line in found) == sorted(wrong)
    assert find_errors({**GOOD, "session.secret": DEVELOPMENT_SECRET}) == [
        refusal(**{"session.secret": DEVELOPMENT_SECRET})
    ]
    assert find_errors(GOOD) == []


@each(
    ("delivery", "chosen", "is_required"),
    [
        *(("none", "auto", False), ("folder", "auto", True), ("none", "false", False)),
        *(("folder", "false", False), ("folder", "true", True)),
    ],
)
def test_addresses_are_confirmed_where_mail_is_sent_unless_it_says_otherwise(
    delivery, chosen, is_required
):
    written = {"mail.delivery": delivery, "accounts.confirm_email": chosen}
    assert email_confirmation.is_required(Settings({**GOOD, **written})) is is_required


def test_addresses_cannot_be_confirmed_without_mail():
    assert "true needs mail" in refusal(**{"accounts.confirm_email": "true"})


def test_the_settings_of_an_area_stand_in_one_file():
    files: dict[str, set[str]] = {}
    for path in (ROOT / "forumsvc/settings").glob("*.py"):
        for area in re.findall(r'Setting\(\s*f?"([a-z_]+)\.', path.read_text()):
            files.setdefault(area, set()).add(path.name)
    assert files.keys() == {setting.area for setting in DECLARED}
    assert [names for names in files.values() if len(names) > 1] == []
