# Random programs give the same at breakpoints, in the target, in the kernel, and of records, and what is said of where
# their clauses run is so. `make fuzz-places` tries more.
# needs: root
# timeout: 200
. tests/lib/lib.sh
. tests/lib/sys.sh
need_perf_system
need_bpf

[ -x /usr/bin/python3 ] || skip "no python3"
# RANDOM_PLACES="SEED PROGRAMS" tries others
set -- ${RANDOM_PLACES:-1 8}
for flavour in numbers texts records; do
	/usr/bin/python3 tests/tools/fuzz-places --dtrace "$DTRACE" --target "$TARGETS/places" --seed "$1" --programs "$2" \
		--flavour $flavour --where >"$TMP/differs" || fail "$(cat "$TMP/differs")"
done
finish
