#!/usr/bin/env python3
"""records.py FILE [head]: the records of a recording that perf would show, one a line, as hexadecimal digits, but what ends a round.
head: what stands before and behind them instead: the events with their ids, the names of the features.
It reads files by the format's own description, and shares nothing with what it judges."""
import struct
import sys

data = open(sys.argv[1], "rb").read()
magic, size, entry, attrs, attrs_size, begin, length = struct.unpack_from("<7Q", data)
assert magic == 0x32454C4946524550 and size == 104, "no recording"
assert begin + length <= len(data), "it is cut"
if sys.argv[2:] == ["head"]:
    for at in range(attrs, attrs + attrs_size, entry):
        ids, ids_size = struct.unpack_from("<QQ", data, at + entry - 16)
        print(data[at:at + entry - 16].hex(), [i for i, in struct.iter_unpack("<Q", data[ids:ids + ids_size])])
    bits = sum(word << 64 * i for i, word in enumerate(struct.unpack_from("<4Q", data, 72)))
    print([bit for bit in range(256) if bits >> bit & 1])
    sys.exit()
at = begin
while at < begin + length:
    kind, _, size = struct.unpack_from("<IHH", data, at)
    assert size >= 8 and size % 8 == 0 and at + size <= begin + length, f"a record of {size} bytes at {at}"
    if kind != 68:
        print(data[at:at + size].hex())
    at += size
