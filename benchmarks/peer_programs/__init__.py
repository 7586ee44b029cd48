"""The forums that `benchmarks.peers` measures: one file each, and what they share.

peer: what a forum has to say of itself; django: of those that are Django projects; own: forumsvc;
installing: an environment for each from the package index; community: the topics and replies that
all of them get; browser: somebody who logs in and reads forms; running: servers and what they need
beside them; proving: that they answer what is measured; inside: what runs in a peer's own Python.
"""
