# guest.sh: what the tests in the emulated machine share.
# shellcheck shell=sh

# in_guest TEST...: they pass in the machine of tests/tools/guest; the last line of a test
in_guest() {
	[ -z "$SAN" ] || skip "too slow with sanitizers"
	need qemu-system-x86_64 cpio insmod mke2fs
	[ -e build/guest/vmlinuz ] || skip "there is no kernel for an emulated machine (tests/tools/kernel fetches it)"
	tests/tools/guest build/guest "$@" >"$TMP/said" 2>&1
	for test; do
		grep -q "^FAIL $test" "$TMP/said" && fail "$test"
	done
	[ "$failed" = 1 ] || grep -q '^ok' "$TMP/said" || skip "the emulated machine is too slow here"
	[ "$failed" = 0 ] || grep -v '^\[' "$TMP/said"
	[ "$failed" = 1 ] || ! grep -q '^SKIP' "$TMP/said" || skip "$(grep '^SKIP' "$TMP/said" | tr '\n' ';')"
}
