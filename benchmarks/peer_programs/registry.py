"""All peers, by the words of the command line."""

from benchmarks.peer_programs.askbot import Askbot
from benchmarks.peer_programs.flaskbb import FlaskBB
from benchmarks.peer_programs.machina import Machina
from benchmarks.peer_programs.misago import Misago
from benchmarks.peer_programs.peer import Peer
from benchmarks.peer_programs.spirit import Spirit

PEERS: dict[str, type[Peer]] = {
    peer.key: peer for peer in (Misago, Spirit, Machina, FlaskBB, Askbot)
}
