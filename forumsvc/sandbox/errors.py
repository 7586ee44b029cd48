"""Why a job has no result."""


class SandboxError(Exception):
    """A job has no result. cpu_seconds: the most processor time that the job can have used."""

    def __init__(self, cpu_seconds: float = 0.0) -> None:
        super().__init__(cpu_seconds)
        self.cpu_seconds = cpu_seconds


class PoolBusyError(SandboxError):
    """No process became free in time."""


class DeadlineError(SandboxError):
    """The process sent no result until the deadline."""


class CpuLimitError(SandboxError):
    """The job used up its processor time."""


class CrashError(SandboxError):
    """The process ended without a result."""
