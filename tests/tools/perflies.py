#!/usr/bin/env python3
"""perflies.py FOLDER: recordings that are whole, but say of themselves what is not so: one file a lie, named after it.

Each is that of perfdata.py with one thing changed: a format's offset, size or count, a length within a record, a time,
a feature. What of them is still to be read is not said here: nothing may follow a lie out of the record or the file.
"""
import copy
import os
import struct
import subprocess
import sys

sys.argv, folder = sys.argv[:1], sys.argv[1]
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True
import perfdata as good

BIG = 0xFFFFFFFFFFFFFFFF


def write(name, records=None, formats=None, features=None, attrs=None, entry=144):
    kept = good.FORMATS, good.FEATURES, good.ATTRS
    good.FORMATS = formats or good.FORMATS
    good.ATTRS = attrs or good.ATTRS
    good.FEATURES = dict(good.FEATURES)
    good.FEATURES[1] = good.tracing_data()
    good.FEATURES.update(features or {})
    with open(os.path.join(folder, name), "wb") as f:
        f.write(good.a_file(records if records is not None else good.RECORDS))
    good.FORMATS, good.FEATURES, good.ATTRS = kept


def with_format(name, which, *changes):
    formats = copy.copy(good.FORMATS)
    system, text = formats[which]
    for old, new in changes:
        assert old in text, (name, old)
        text = text.replace(old, new)
    formats[which] = (system, text)
    write(name, formats=formats)


def with_record(name, *more):
    """Behind all the others, whose last round ends then."""
    write(name, good.RECORDS[:-1] + list(more) + [good.ROUND])


def sample_of(number, body, time=good.at(26)):
    return good.sample(number, 100, 100, time, 0, body)


def named(name, text):
    return good.other(10, struct.pack("<IIQQQIIQQII", 100, 100, 0x900000, 0x1000, 0, 8, 1, 1, 0, 5, 2) + text, 100, 100, good.at(26))


# ---- formats ----
SWITCH, CALL, MESSAGE = 0, 1, 2
for number in ("0", "65528", "65536", "4294967295", "x"):
    with_format(f"format_offset_{number}", CALL, ("offset:8;", f"offset:{number};"))
    with_format(f"format_args_offset_{number}", CALL, ("offset:16;", f"offset:{number};"))
    with_format(f"format_size_{number}", CALL, ("size:48;", f"size:{number};"))
    with_format(f"format_text_offset_{number}", MESSAGE, ("offset:12;", f"offset:{number};"))
    with_format(f"format_text_size_{number}", MESSAGE, ("offset:12;\tsize:4;", f"offset:12;\tsize:{number};"))
    with_format(f"format_array_{number}", SWITCH, ("prev_comm[16]", f"prev_comm[{number}]"))
    with_format(f"format_number_{number}", MESSAGE, (f"ID: {good.MESSAGES}", f"ID: {number}"))
with_format("format_no_name", MESSAGE, ("name: message\n", ""))
with_format("format_same_number", MESSAGE, (f"ID: {good.MESSAGES}", f"ID: {good.CALLS}"))
with_format("format_odd_name", MESSAGE, ("name: message", "name: ../../../etc/passwd\x1b[2J"))
with_format("format_odd_type", MESSAGE, ("field:int number", "field:struct \x1b]0;x\x07 * (*f)(int) number"))
with_format("format_type_of_nothing", CALL, ("unsigned long args[6]", "args[6]"))
with_format("format_no_ends", CALL, (";", ""), ("\n", " "))
with_format("format_many_fields", CALL, ("\tfield:long id;", "".join(f"\tfield:int f{i};\toffset:{i};\tsize:4;\tsigned:1;\n" for i in range(3000)) + "\tfield:long id;"))
with_format("format_same_fields", CALL, ("\tfield:long id;", "\tfield:char id;\toffset:70000;\tsize:1;\tsigned:0;\n\tfield:long id;"))
write("format_deep", formats=good.FORMATS + [("x" * 5000 + "/../", good.form("y" * 5000, 9009, "\tfield:int " + "z" * 5000 + ";\toffset:8;\tsize:4;\tsigned:1;\n"))])
write("format_like_a_list", formats=[("demo", good.FORMATS[2][1].replace('print fmt: ""', 'print fmt: "file system: x name: y"'))] + good.FORMATS[:2])
tracing = good.tracing_data()
for at in (10, 14, 15, 16, 20, 32, 40):
    for number in (0, BIG):
        changed = bytearray(tracing)
        struct.pack_into("<Q", changed, at, number)
        write(f"tracing_{at}_{number:x}", features={1: bytes(changed)})
where = tracing.index(b"sched\0") - 4
for number in (0, 2, 4, 0xFFFFFFFF):
    changed = bytearray(tracing)
    struct.pack_into("<I", changed, where, number)
    write(f"tracing_systems_{number:x}", features={1: bytes(changed)})
    changed = bytearray(tracing)
    struct.pack_into("<I", changed, where + 4 + 6, number)
    write(f"tracing_events_{number:x}", features={1: bytes(changed)})

# ---- records ----
for number in (0, 3, 4, 65535, 65536, 0xFFFFFFF8, 0xFFFFFFFF):
    with_record(f"raw_{number:x}", sample_of(12, struct.pack("<I", number) + bytes(60)), sample_of(13, struct.pack("<I", number)),
                sample_of(11, struct.pack("<I", number) + bytes(12)))
for offset, length in ((0, 0xFFFF), (0xFFFF, 0xFFFF), (0xFFFF, 0), (8, 0xFFFF), (15, 1), (16, 0), (23, 1), (24, 1)):
    data = struct.pack("<HBBiiHH", good.MESSAGES, 0, 0, 100, 7, offset, length) + b"unended!"
    with_record(f"text_{offset:x}_{length:x}", sample_of(13, good.raw(data)))
with_record("raw_of_another", sample_of(13, good.raw(struct.pack("<HBBi", good.SWITCHES, 0, 0, 100))))
for number in (1, 8000, 65536, 1 << 61, BIG):
    with_record(f"chain_{number:x}", sample_of(14, struct.pack("<QQ", number, 0x401000)), sample_of(14, struct.pack("<Q", number)))
with_record("chain_of_marks", sample_of(14, struct.pack("<40Q", 39, *[good.USER, good.KERNEL, BIG - 7] * 13)))
kinds = (1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 63, 64, 65, 67, 69, 70, 72, 73, 74, 75, 76, 77, 78, 79, 80, 83, 84, 200, 0xFFFFFFFF)
with_record("records_of_nothing", *(good.record(kind, bytes(n)) for kind in kinds if kind not in (64, 80, 83) for n in (0, 8, 16, 32, 48, 64)))
for kind in (64, 80, 81, 83):
    for n in (0, 8, 16, 200):
        with_record(f"record_{kind}_{n}", good.record(kind, b"\xff" * n))
with_record("mapping_without_end", named("", b"/" * 64))
with_record("mapping_of_escapes", named("", b"/tmp/\x1b[2J\x1b]0;owned\x07\n\0"))
with_record("mapping_of_devices", *(named("", p + b"\0") for p in (b"/dev/zero", b"/dev/tty", b"/proc/self/mem", b"/proc/self/fd/0", b"/dev/stdin", b"/sys/kernel/tracing/trace_pipe")))
with_record("mapping_around", good.mmap2(100, BIG - 4095, 8192, "/nowhere", good.at(26)), good.mmap2(100, 0, BIG, "/nowhere", good.at(26)), good.mmap2(100, 4096, 0, "/nowhere", good.at(26)))
with_record("names_of_escapes", good.other(3, struct.pack("<II", 100, 100) + b"\x1b[2J\x1b]0;x\x07" + b"n" * 200, 100, 100, good.at(26)), good.call(good.at(27), 0, 100, 0))
with_record("threads_of_all_numbers", *(good.other(7, struct.pack("<IIIIQ", p, p ^ 0x80000000, p, p, 0), p, p, good.at(26 + i)) for i, p in enumerate((0, 1, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF))))
with_record("cpus_of_all_numbers", *(good.sample(12, 100, 100, good.at(26), cpu, good.raw(bytes(64))) for cpu in (0, 1, 1023, 1024, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF)))
with_record("calls_of_all_numbers", *(good.call(good.at(26), 0, 100, n) for n in (-1, 470, 600, 1 << 31, 1 << 32, -1 << 63)))
with_record("time_of_all_numbers", *(good.call(t, 0, 100, 0) for t in (0, 1, 1 << 63, BIG, good.at(1), BIG, 0)))
write("time_goes_back", [r for record in reversed(good.RECORDS) for r in (record, good.ROUND)])
write("ids_of_nobody", [bytes(r[:8]) + struct.pack("<Q", 77) + bytes(r[16:]) if r[0] == 9 else r for r in good.RECORDS])
write("nothing_but_rounds", [good.ROUND] * 1000)
write("no_records", [good.record(82, b"")])

# ---- events and features ----
for number in (0, 1, 8, BIG):
    for at, what in ((24, "sample_type"), (32, "read_format"), (40, "flags"), (80, "regs"), (72, "branches")):
        attrs = [(bytes(a[:at]) + struct.pack("<Q", number) + bytes(a[at + 8:]), n, name) for a, n, name in good.ATTRS]
        write(f"attr_{what}_{number:x}", attrs=attrs)
for bit in (2, 3, 4, 6, 7, 8, 10, 11, 12, 13, 14, 16, 17, 20, 21, 22, 23, 27, 29):
    for n in (0, 8, 60):
        write(f"feature_{bit}_{n}", features={bit: b"\xff" * n})
write("names_of_events", attrs=[(a, n, "\x1b[2J/../" + name) for a, n, name in good.ATTRS])
write("machine_of_escapes", features={3: good.text("\x1b[2Jhost"), 4: good.text("\x1b]0;x\x07"), 6: good.text("\x1b[31m")})
builds = struct.pack("<IHHi20sB3x", 0, 0x8001, 36 + 64, -1, b"\xff" * 20, 255) + b"[kernel.kallsyms]".ljust(64, b"\0")
write("builds", features={2: builds + struct.pack("<IHHi20sB3x", 0, 0x8002, 36 + 64, -1, b"\x01" * 20, 0) + b"/nowhere/alpha".ljust(64, b"x") + struct.pack("<IHH", 0, 0, 0xFFFF)})

# ---- what is compressed ----


def packed(name, stream, kind=81):
    pieces = [stream[i:i + 60000] for i in range(0, len(stream), 60000)]
    records = [good.record(kind, struct.pack("<Q", len(p)) + p) if kind == 83 else struct.pack("<IHH", 81, 0, 8 + len(p)) + p for p in pieces]
    write(name, good.RECORDS[:6] + records + [good.ROUND], features={27: struct.pack("<5I", 0, 1, 3, 2, 528384)})


def zstd(data, *options):
    return subprocess.run(["zstd", "-q", "-c", *options], input=data, stdout=subprocess.PIPE, check=True).stdout


try:
    whole = b"".join(r for r in good.RECORDS[6:] if r != good.ROUND)
    packed("packed_zeros", zstd(bytes(64 << 20)))
    packed("packed_rounds", zstd(good.ROUND * (1 << 20)))
    packed("packed_again", zstd(struct.pack("<IHH", 81, 0, 8 + len(zstd(whole))) + zstd(whole)))
    packed("packed_window", zstd(whole * 2000, "--long=31", "--ultra", "-19"))
    packed("packed_not", b"\x28\xb5\x2f\xfd" + b"\xff" * 300)
    packed("packed_cut", zstd(whole)[:-20])
    packed("packed_in_a_record", zstd(whole[:-20]))
    packed("packed_size", struct.pack("<Q", BIG) + zstd(whole), 81)
    write("packed_length", good.RECORDS[:6] + [good.record(83, struct.pack("<Q", BIG) + zstd(whole))] + [good.ROUND])
except FileNotFoundError:
    pass
