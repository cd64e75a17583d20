# Golden tests of the language give the same at breakpoints, in the target, in the kernel, and of records: one in ten
# of those whose clauses depend on nothing of their probe. `make golden-places` asks all of them.
# needs: root
# timeout: 200
. tests/lib/lib.sh
. tests/lib/sys.sh
need_perf_system
need_bpf

[ -x /usr/bin/python3 ] || skip "no python3"
# GOLDEN_PART=2/10 tries others
/usr/bin/python3 tests/tools/golden-places --dtrace "$DTRACE" --target "$TARGETS/places" --part "${GOLDEN_PART:-1/10}" >"$TMP/differs" ||
	fail "$(cat "$TMP/differs")"
finish
