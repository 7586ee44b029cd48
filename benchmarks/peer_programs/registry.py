"""All peers, by the words of the command line."""

from benchmarks.peer_programs.misago import Misago
from benchmarks.peer_programs.peer import Peer

PEERS: dict[str, type[Peer]] = {peer.key: peer for peer in (Misago,)}
