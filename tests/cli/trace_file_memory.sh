# What a recording without rounds holds is bounded: 300 MB at most, whatever its size, and all of it is counted.
. tests/lib/lib.sh
need python3

cat >"$TMP/long.py" <<'END'
import os, resource, subprocess, sys
sys.path.insert(0, "tests/tools")
import perfdata
text = "x" * 600
block = bytearray(b"".join(perfdata.message(perfdata.at(30), i % 2, 100, i, text) for i in range(1000)))
each = len(block) // 1000
n = 500
head = perfdata.a_file([r for r in perfdata.RECORDS if r != perfdata.ROUND])
data = b"".join(r for r in perfdata.RECORDS if r != perfdata.ROUND)
at = head.index(data) + len(data)
size = len(data) + n * len(block)
with open(sys.argv[1], "wb") as f:  # without its features but for the formats: they stay where they are told to be
    shift = n * len(block)
    features = perfdata.FEATURES
    begin = head[:at]
    table, contents, where = b"", b"", at + shift + 16 * len(features)
    for bit in sorted(features):
        table += perfdata.struct.pack("<QQ", where + len(contents), len(features[bit]))
        contents += features[bit]
    begin = begin[:48] + perfdata.struct.pack("<Q", size) + begin[56:]
    f.write(begin)
    for i in range(n):
        for j in range(1000):  # one record in two is a millisecond older than that before it
            perfdata.struct.pack_into("<Q", block, j * each + 32, perfdata.at(30 + i + j / 1000 - j % 2))
        f.write(block)
    f.write(table + contents)
p = subprocess.run([sys.argv[2], "-qE", sys.argv[1], "-n", "linux-demo:::message { @ = count(); }"], stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
print(p.stdout.decode().strip(), resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024 <= (1200 if os.environ.get("SAN") else 300))  # sanitizers keep memory of their own
END
is "300 MB at most" "$(python3 "$TMP/long.py" "$TMP/long.data" "$DTRACE")" "500002 True"
finish
