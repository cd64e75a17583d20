# Every constant of the libraries, as the C library has those of the same names.
. tests/lib/lib.sh
. tests/lib/scripts.sh
need gcc
script constants
sed -n 's/^inline int \([A-Z][A-Za-z0-9_]*\) *=.*/\1/p' dscripts/lib/*.d | sort -u >"$TMP/names"
is "all of them" "$(awk '{ print $1 }' "$TMP/told" | grep . | sort -u)" "$(cat "$TMP/names")"
{
	echo '#define _GNU_SOURCE'
	for h in errno fcntl signal stdio unistd netinet/tcp netinet/in sys/socket sys/stat sys/mman net/if_arp; do
		echo "#include <$h.h>"
	done
	echo 'int main(void) {'
	# registers and states of the original have other numbers there; O_LARGEFILE is 0 to programs of 64 bits
	grep -E '^(E[A-Z0-9]+|SIG[A-Z0-9]+|O_|AT_|[FXWR]_OK|SEEK_|F_|S_I|PROT_|MAP_|AF_|SOCK_|IPPROTO_|TH_|ARPHRD_|CLD_)' "$TMP/names" |
		grep -v -e O_LARGEFILE | while read -r n; do
		printf '#ifdef %s\nprintf("%s %%lld\\n", (long long)(%s));\n#endif\n' "$n" "$n" "$n"
	done
	for n in CLD_EXITED CLD_KILLED CLD_DUMPED CLD_TRAPPED CLD_STOPPED CLD_CONTINUED; do
		printf '#ifndef %s\nprintf("%s %%d\\n", %s);\n#endif\n' $n $n $n
	done
	echo 'return 0; }'
} >"$TMP/c.c"
gcc -w -o "$TMP/c" "$TMP/c.c" || fail "c.c"
"$TMP/c" | sort -u >"$TMP/c.out"
[ "$(wc -l <"$TMP/c.out")" -gt 200 ] || fail "only $(wc -l <"$TMP/c.out") constants are known to C"
sort -u "$TMP/told" | comm -13 - "$TMP/c.out" >"$TMP/diff"
is "what C has otherwise" "$(cat "$TMP/diff")" ""
finish
