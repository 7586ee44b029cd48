"""Lists the parts of an image file strictly: unknown bytes are an error."""


def part_names(data: bytes) -> list[str]:
    """Return the names in the file's order; ValueError for bytes that belong to no part."""
    if data[:4] == b"\x89PNG":
        return _png(data)
    if data[:2] == b"\xff\xd8":
        return _jpeg(data)
    if data[:3] == b"GIF":
        return _gif(data)
    return _webp(data, 12, int.from_bytes(data[4:8], "little") + 8)


def _png(data: bytes) -> list[str]:
    names, at = [], 8
    while at < len(data):
        names.append(data[at + 4 : at + 8].decode())
        at += 12 + int.from_bytes(data[at : at + 4], "big")
    if at != len(data) or names[-1] != "IEND":
        raise ValueError("bytes beyond the end")
    return names


def _jpeg(data: bytes) -> list[str]:
    names, at = [], 2
    while True:
        if data[at] != 0xFF:
            raise ValueError(f"no marker at {at}")
        marker = data[at + 1]
        names.append(f"{marker:02X}")
        if marker == 0xD9:
            break
        at += 2 + int.from_bytes(data[at + 2 : at + 4], "big")
        if marker == 0xDA:
            while not (data[at] == 0xFF and data[at + 1] not in (0, *range(0xD0, 0xD8))):
                at += 1
    if at + 2 != len(data):
        raise ValueError("bytes beyond the end")
    return names


def _gif(data: bytes) -> list[str]:
    names, at = [], 13 + (3 * (2 << (data[10] & 7)) if data[10] & 0x80 else 0)
    while data[at] != 0x3B:
        if data[at] == 0x21:
            names.append(f"extension {data[at + 1]:02X}")
            if data[at + 1] == 0xFF:
                names[-1] += " " + data[at + 3 : at + 14].decode()
            at += 2
        elif data[at] == 0x2C:
            names.append("image")
            at += 11 + (3 * (2 << (data[at + 9] & 7)) if data[at + 9] & 0x80 else 0)
        else:
            raise ValueError(f"no block at {at}")
        while data[at]:
            at += 1 + data[at]
        at += 1
    if at + 1 != len(data):
        raise ValueError("bytes beyond the end")
    return names


def _webp(data: bytes, at: int, end: int) -> list[str]:
    names = []
    if end != len(data):
        raise ValueError("bytes beyond the end")
    while at < end:
        names.append(data[at : at + 4].decode())
        length = int.from_bytes(data[at + 4 : at + 8], "little")
        at += 8 + length + (length & 1)
    return names
