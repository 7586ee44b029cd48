"""The kinds of file systems of folders."""

from pathlib import Path

MOUNTS = Path("/proc/self/mountinfo")
"""All mounts that this process sees (Linux; proc_pid_mountinfo(5))."""

_NETWORK = {"9p", "afs", "beegfs", "ceph", "cifs", "davfs", "gfs2", "glusterfs", "lustre"} | {
    *("nfs", "nfs4", "ocfs2", "smb2", "smb3", "smbfs", "virtiofs", "vboxsf"),
}


def network_file_system(folder: Path) -> str | None:
    """Return the kind of the network file system that a folder is on, else None.

    FUSE counts as one: what is behind it cannot be seen. None, too, if the system does not tell.
    """
    kind = _kind_of(folder.resolve())
    is_network = kind in _NETWORK or kind.startswith("fuse.") or kind == "fuse"
    return kind if is_network else None


def _kind_of(folder: Path) -> str:
    """Return the kind of the file system with the longest mount point above the folder."""
    best, found = -1, ""
    for line in MOUNTS.read_text().splitlines() if MOUNTS.exists() else ():
        before, _, after = line.partition(" - ")
        mounted = before.split()[4].replace("\\040", " ")
        if len(mounted) >= best and folder.is_relative_to(mounted):
            best, found = len(mounted), after.split()[0]
    return found
