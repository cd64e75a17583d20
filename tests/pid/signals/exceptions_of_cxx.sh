# C++ exceptions through probed frames, and caught in one: every instruction of them, and what the unwinder
# calls. No call is lost, no return invented.
# needs: user
. tests/lib/lib.sh
need g++

g++ -O1 -g -o "$TMP/throws" tests/targets/throws.cc || fail "throws.cc does not compile"
d -qn 'pid$target:a.out:deep:,pid$target:a.out:caught: { @[probefunc, probename] = count(); }
    pid$target:libgcc_s.so.1::entry { @u = count(); }' -x bufsize=8m -o "$TMP/agg" -c "$TMP/throws 50"
ends 0 throws
is "its own counts" "$out" "caught 50
deep 550
bad 0"
is "entries" "$(awk 'NF == 3 && $2 == "entry" { print $1, $3 }' "$TMP/agg" | sort)" "caught 50
deep 550"
is "returns" "$(awk 'NF == 3 && $2 == "return" && $3 > 0' "$TMP/agg")" ""
finish
