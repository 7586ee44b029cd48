"""The limit of open files, of which every connection is one."""

import resource

ENOUGH = 65_536


def raise_file_limit() -> None:
    """Raise the soft limit of this process and its children towards the hard one.

    A common default of 1,024 is less than `connection_limit` and the connections to the database
    may need.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    limit = ENOUGH if hard == resource.RLIM_INFINITY else min(ENOUGH, hard)
    if soft != resource.RLIM_INFINITY and soft < limit:
        resource.setrlimit(resource.RLIMIT_NOFILE, (limit, hard))
