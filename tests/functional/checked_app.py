"""A WebTest application that checks every response that the API description describes."""

from typing import Any

from webtest import TestApp, TestRequest, TestResponse

from tests.openapi import answers


class CheckedApp(TestApp):
    """The application of a test, in either envelope."""

    def __init__(self, application: Any) -> None:
        super().__init__(application)
        settings = application.registry.forum_settings
        self._shape = settings["api.envelope"]

    def do_request(
        self, req: TestRequest, status: Any = None, expect_errors: bool | None = None
    ) -> TestResponse:
        """Send the request; fail if the response does not match the description."""
        answer = super().do_request(req, status, expect_errors)
        path = req.environ["PATH_INFO"]
        if path.startswith(answers.API) or answers.is_described(path, req.method):
            found = answers.find_deviations(path, req.method, answer, self._shape)
            assert not found, f"{req.method} {path} → {answer.status_int}: {found}"
        return answer
