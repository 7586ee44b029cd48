"""An email survives the end of every process between the answer and the mail server."""

import os
import re
import signal
from contextlib import closing
from email import message_from_bytes, policy
from email.message import EmailMessage
from functools import partial
from urllib.parse import urlencode

from tests.functional.forum import Forum, make_app
from tests.system.forum_process import serving
from tests.system.process import wait_until
from tests.system.pserve import Pserve, read_response

ADDRESS = "ann@example.org"

serve = partial(serving, mail__delivery="folder", mail__dir="post")


def ask_for_a_link(server: Pserve) -> None:
    with closing(server.connect()) as connection:
        connection.request("GET", "/password/forgotten")
        page = read_response(connection)
        [token] = re.findall(rb'name="csrf_token" value="([^"]+)"', page.body)
        form = urlencode({"csrf_token": token.decode(), "email": ADDRESS})
        cookies = page.headers["set-cookie"].split(";")[0]
        headers = {"Content-Type": "application/x-www-form-urlencoded", "Cookie": cookies}
        connection.request("POST", "/password/forgotten", form, headers)
        assert read_response(connection).status == 200


def test_a_mail_is_sent_though_the_whole_server_was_killed_after_the_answer(
    database_url, database, tmp_path
):
    folder = tmp_path / "post"
    forum = Forum(make_app(database_url, tmp_path), database)
    forum.change(forum.person("ann").id, email=ADDRESS, email_key=ADDRESS)
    with serve(tmp_path, database_url, worker=False) as server:
        ask_for_a_link(server)
        os.killpg(server.process.pid, signal.SIGKILL)
    assert not folder.exists()
    with serve(tmp_path, database_url):
        wait_until(lambda: bool(list(folder.glob("*.eml"))), "the email")
    [file] = folder.glob("*.eml")
    message = message_from_bytes(file.read_bytes(), policy=policy.default)
    assert isinstance(message, EmailMessage)
    assert message["To"] == ADDRESS
    assert "/password/reset?reset_token=" in message.get_content()
