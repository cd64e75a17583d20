# The kernel of Debian 12 (6.1), in an emulated machine: the tests of what differs there, and of fbt, which newer
# kernels may refuse.
# needs: root
# timeout: 450
. tests/lib/lib.sh
[ -z "$SAN" ] || skip "too slow with sanitizers"
need qemu-system-x86_64 cpio insmod mke2fs
[ -e build/guest/vmlinuz ] || skip "there is no kernel for an emulated machine (tests/tools/kernel fetches it)"

for test in counted_by_keys fbt network network_members programs_load rawtp; do
	set -- "$@" "tests/sys/$test.sh"
done
tests/tools/guest build/guest "$@" >"$TMP/said" 2>&1
for test; do
	grep -q "^FAIL $test" "$TMP/said" && fail "$test"
done
[ "$failed" = 1 ] || grep -q '^ok' "$TMP/said" || skip "the emulated machine is too slow here"
[ "$failed" = 0 ] || grep -v '^\[' "$TMP/said"
[ "$failed" = 1 ] || ! grep -q '^SKIP' "$TMP/said" || skip "$(grep '^SKIP' "$TMP/said" | tr '\n' ';')"
finish
