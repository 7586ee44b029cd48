"""The task of a rendering worker, see `forumsvc.sandbox`.

A job is `{"text": …, "own_host": …}`, its result `{"segments": […]}` as of `Pipeline.render`.
"""

from collections.abc import Callable
from typing import Any

from forumsvc.markup.pipeline import Pipeline

_WARM_UP = """\
# *a* **b** `c` ~~d~~ @ann #1 :smile: <https://a.org> [e](f)

- [ ] g

> h

```python
i
```
"""
"""Rendered at the start, so that the libraries finish their lazy initialization."""


def start() -> Callable[[dict[str, str]], dict[str, Any]]:
    """Load the libraries; return the function that renders."""
    task = RenderTask()
    task({"text": _WARM_UP, "own_host": ""})
    return task


class RenderTask:
    """Renders texts, one after another. A text that raises leaves no trace for the next one."""

    def __init__(self) -> None:
        self._pipeline: Pipeline | None = None

    def __call__(self, job: dict[str, str]) -> dict[str, Any]:
        """Return the result of a job. Raises whatever the libraries raise on hostile text."""
        pipeline, self._pipeline = self._pipeline or Pipeline(), None
        segments = pipeline.render(job["text"], job["own_host"])
        self._pipeline = pipeline
        return {"segments": segments}
