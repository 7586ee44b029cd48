"""IPv4 within IPv6, as what listens on both names the clients of IPv4: `::ffff:192.0.2.1`."""

from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

_MAPPED = IPv6Network("::ffff:0:0/96")

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network


def parse_address(text: str) -> Address:
    """Return an IP address without its zone, and IPv4 within IPv6 as IPv4. Raises ValueError."""
    parsed = ip_address(text.partition("%")[0])
    return parsed if isinstance(parsed, IPv4Address) else parsed.ipv4_mapped or parsed


def parse_network(text: str, *, strict: bool = True) -> Network:
    """Return the network of an address or a CIDR, and IPv4 within IPv6 as IPv4.

    strict: whether bits behind the prefix are an error. Raises ValueError.
    """
    network = ip_network(text, strict=strict)
    if isinstance(network, IPv4Network) or not network.subnet_of(_MAPPED):
        return network
    return IPv4Network((int(network.network_address) & 0xFFFFFFFF, network.prefixlen - 96))


def client_network(address: str) -> str:
    """Return what counts as one client: an IPv4 address, or the /64 of an IPv6 address (RFC 6177).

    What is no address is returned as it is.
    """
    try:
        parsed = parse_address(address)
    except ValueError:
        return address
    return str(parsed if parsed.version == 4 else ip_network((parsed, 64), strict=False))


def wide_network(address: str) -> str:
    """Return where an address is, without saying whose it is: the /24 of IPv4, the /64 of IPv6.

    Empty for what is no address.
    """
    try:
        parsed = parse_address(address)
    except ValueError:
        return ""
    return str(ip_network((parsed, 24 if parsed.version == 4 else 64), strict=False))
