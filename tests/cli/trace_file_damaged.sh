# Recordings that are cut, or lie: what can be read is read, one sentence says where it ends, and the status is 1.
# timeout: 300
. tests/lib/lib.sh
need python3

python3 tests/tools/perfdata.py "$TMP/m.data" || fail "no recording"
cat >"$TMP/damage.py" <<'END'
import struct, sys

data = bytearray(open(sys.argv[1], "rb").read())
kind, out = sys.argv[2], sys.argv[3]
begin, size = struct.unpack_from("<QQ", data, 40)


def nth(n):
    at = begin
    for _ in range(n):
        at += struct.unpack_from("<H", data, at + 6)[0]
    return at


if kind == "cut":
    data = data[:int(sys.argv[4])]
elif kind == "size":
    struct.pack_into("<H", data, nth(9) + 6, int(sys.argv[4], 0))
elif kind == "id":
    struct.pack_into("<Q", data, nth(6) + 8, 77)
elif kind == "byte":
    data[int(sys.argv[4])] ^= int(sys.argv[5])
elif kind == "word":
    struct.pack_into("<Q", data, int(sys.argv[4]), int(sys.argv[5], 0))
open(out, "wb").write(data)
END
damage() { # damage KIND ARGS...
	kind=$1
	shift
	python3 "$TMP/damage.py" "$TMP/m.data" "$kind" "$TMP/x.data" "$@"
}
run() {
	d -qn 'syscall:::entry { n++; } linux-demo:::message { @ = sum(arg2); } profile-97 { stack(); ustack(); } END { printf("%d", n); trunc(@); }' -E "$TMP/x.data" -Z
	case $status in
	0 | 1) ;;
	*) fail "$*: status $status: $err" ;;
	esac
	case $err in *anitizer* | *rror:*rror:*) fail "$*: $err" ;; esac
}

size=$(stat -c %s "$TMP/m.data")
for i in $(seq 0 48); do
	damage cut $((size * i / 48))
	run "cut at $i of 48"
	[ "$i" = 48 ] || ends 1 "cut at $i of 48"
done
begin=$(od -An -tu8 -j40 -N8 "$TMP/m.data" | tr -d ' ')
damage cut $((begin + 1500))
run "cut in the records"
like "cut in the records" "$err" "*$TMP/x.data: *at offset $((begin + 1500))*what comes before has been read"
like "cut in the records: nothing was read" "$out" "*0xffffffff81000010*"

d -qn 'BEGIN { @["begun"] = count(); }' -E "$TMP/x.data"
is "what was counted is printed" "$(echo $out)" "begun 1"
d -qn 'BEGIN { printf("done"); }' -x strict -E "$TMP/x.data"
ends 1 "strict"
is "strict: nothing is done" "$out" ""
like "strict" "$err" "*$TMP/x.data: *at offset $((begin + 1500))*-x strict: nothing of $TMP/x.data has been processed"
d -qn 'BEGIN { printf("done"); exit(0); }' -x strict -E "$TMP/m.data"
is "strict: a good one" "$status $out" "0 done"
for bytes in 0 1 7 9 0xffff 0xfff8; do
	damage size $bytes
	run "a size of $bytes"
	ends 1 "a size of $bytes"
	like "a size of $bytes" "$err" "*$TMP/x.data: *at offset *what comes before has been read"
done
# perf record was killed: the size of its records has not been written, nor what stands behind them
damage word 48 0
truncate -s $((begin + $(od -An -tu8 -j48 -N8 "$TMP/m.data"))) "$TMP/x.data"
run "no end"
ends 1 "no end"
like "no end" "$err" "*$TMP/x.data: who recorded it has not written its end (killed?), at offset $(stat -c %s "$TMP/x.data"): what comes before has been read*"
like "no end: nothing was read" "$out" "*0xffffffff81000010*"
# what tells of the fields of tracepoints stands behind all records
damage cut $((begin + 1500))
for probe in linux-sched:::sched_switch syscall:::entry sched:::off-cpu; do
	d -qn "$probe, BEGIN { }" -E "$TMP/x.data"
	ends 1 "no formats: $probe"
	like "no formats: $probe" "$err" "*$TMP/x.data does not have the formats of its tracepoints (*:s* may be one): perf record writes them at the end, and that is cut off or damaged*"
done
damage id
run "a number that no event has"
ends 1 "a number that no event has"
like "a number that no event has" "$err" "*$TMP/x.data: 1 sample of an event that it does not declare is left out, the first at offset *"
like "the others count" "$out" "*0xffffffff81000010*4*"

# what comes later than younger events is given out when it comes, and told
python3 tests/tools/perfdata.py "$TMP/late.data" late
d -qn 'linux-demo:::message { @ = count(); }' -E "$TMP/late.data"
is "a late record" "$(echo $out) $status" "3 1"
like "a late record" "$err" "*$TMP/late.data: 1 event came later than younger ones, the first at offset [1-9]*"
said=$err
d -qn 'linux-sched:::sched_switch { @ = count(); }' -E "$TMP/late.data"
is "a late record of an event that nobody asks for" "$err $status" "$said 1"
d -qn 'BEGIN { printf("done"); }' -x strict -E "$TMP/late.data"
ends 1 "a late record, strict"
is "a late record, strict: nothing is done" "$out" ""
like "a late record, strict" "$err" "*late.data: 1 event came later than younger ones, *-x strict: nothing of $TMP/late.data has been processed"

# compressed ones: cut, and each piece of the stream changed
if command -v zstd >/dev/null; then
	cp "$TMP/m.data" "$TMP/plain.data"
	python3 tests/tools/perfdata.py "$TMP/m.data" zstd
	zbegin=$(od -An -tu8 -j40 -N8 "$TMP/m.data" | tr -d ' ')
	zend=$((zbegin + $(od -An -tu8 -j48 -N8 "$TMP/m.data" | tr -d ' ')))
	damage cut $((zend - 30))
	run "cut in a compressed record"
	ends 1 "cut in a compressed record"
	like "cut in a compressed record" "$err" "*$TMP/x.data: *at offset *what comes before has been read"
	for byte in $(seq $((zbegin + 500)) 23 $((zend - 9))); do
		damage byte "$byte" 255
		run "compressed byte $byte"
	done
	cp "$TMP/plain.data" "$TMP/m.data"
fi

# every byte of the head and of the features, changed
step=13
for byte in $(seq 0 $step 103) $(seq 104 97 "$begin") $(seq $((begin + 2300)) 211 $((size - 1))); do
	for bits in 1 128; do
		damage byte "$byte" $bits
		run "byte $byte ^ $bits"
	done
done
# sizes and offsets of the head
for at in 8 16 24 32 40 48 72; do
	for value in 0 1 0x7fffffffffffffff 0xffffffffffffffff 0xfffffffffffffff8; do
		damage word $at $value
		run "word $at = $value"
	done
done
finish
