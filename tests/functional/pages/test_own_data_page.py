"""The page of one's own data: the file with all of it."""

import io
import zipfile

from forumsvc.models import JobKind
from tests.functional.forum import Forum

from .visitor import Visitor

PATH = "/settings/data"


def test_the_page_has_a_button_and_then_the_file(forum: Forum, member: Visitor) -> None:
    ask = member.form(PATH)
    page = ask.submit().follow()
    assert "being put together" in page.text
    forum.registry.job_runner.run_due(JobKind.EXPORT)
    assert "Download the file" in member.get(PATH).text
    file = member.get(f"{PATH}/export.zip")
    assert file.headers["Cache-Control"] == "no-store"
    assert zipfile.ZipFile(io.BytesIO(file.body)).testzip() is None
    assert "Have the file made" not in member.get(PATH).text
    refused = ask.submit(status="*")
    assert refused.status_int == 429
    assert "once a day" in refused.text
