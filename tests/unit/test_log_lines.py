"""A log record is one line, whatever is in it."""

import configparser
import json
import logging
import sys
from pathlib import Path

from forumsvc.log_lines import REQUEST_ID, JsonFormatter, LineFormatter
from tests.cases import each

ROOT = Path(__file__).parents[2]


def written(message: str, *given: object, exc_info: object = None) -> str:
    record = logging.LogRecord("n", logging.ERROR, "p", 1, message, given, exc_info)  # type: ignore[arg-type]
    return LineFormatter("%(levelname)s %(message)s").format(record)


@each("text", ["a\nERROR b", "\x1b[31m", "\x85", "\u2028", "\u202e", "\ud800", "\r", "\x00"])
def test_a_record_is_one_line_without_control_characters(text):
    line = written("path %s", text)
    assert line.isprintable()
    assert line.startswith("ERROR path ")
    line.encode()


def test_a_json_record_is_one_ascii_line_with_all_there_is_to_know():
    REQUEST_ID.set("an-id-of-a-request")
    try:
        raise ValueError("one\ntwo 猫")
    except ValueError:
        record = logging.LogRecord("n", logging.ERROR, "p", 1, "a\nb %d", (1,), sys.exc_info())
    record.created = 0.25
    line = JsonFormatter().format(record)
    REQUEST_ID.set("-")
    assert line.isprintable()
    assert line.isascii()
    shown = json.loads(line)
    assert shown.pop("exception").endswith("ValueError: one\ntwo 猫")
    assert shown == {
        "time": "1970-01-01T00:00:00.250Z",
        "level": "ERROR",
        "process": "MainProcess",
        "logger": "n",
        "message": "a\nb 1",
        "request_id": "an-id-of-a-request",
    }


def test_no_line_of_a_traceback_looks_like_a_record():
    try:
        raise ValueError("one\nERROR forged\x1b")
    except ValueError:
        first, *others = written("failed", exc_info=sys.exc_info()).split("\n")
    assert first == "ERROR failed"
    assert all(line.startswith("  | ") and line.isprintable() for line in others)
    assert others[-1] == "  | ERROR forged\\x1b"


@each("name", ["production.ini", "development.ini"])
def test_the_shipped_ini_files_log_that_way(name):
    ini = configparser.RawConfigParser()
    ini.read(ROOT / name)
    assert ini["formatter_plain"]["class"] == "forumsvc.log_lines.LineFormatter"
