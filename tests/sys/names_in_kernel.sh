# Names of programs of any length, as programs in the kernel read them: with nothing behind their end, compared and as keys as in records.
# needs: root
. tests/lib/lib.sh
. tests/lib/sys.sh
need_perf_system
need_bpf

# an execution by a program of a long name leaves that behind the end of the next one, in kernels that do not clear it
mkdir "$TMP/bin"
for name in n nabcdef nabcdefg nabcdefgh nabcdefghijklm nabcdefghijklmn nabcdefghijklmnop; do
	cp /bin/true "$TMP/bin/$name"
	echo "$TMP/bin/$name"
done >"$TMP/all"
of='execname == "n" || execname == "nabcdef" || execname == "nabcdefg" || execname == "nabcdefgh" || execname == "nabcdefghijklm" || execname == "nabcdefghijklmn"'
clauses="int n, a[string]; syscall::exit_group:entry /$of/ { n++; @[execname] = count(); @m[execname == \"nabcdefg\" ? 1 : execname == \"nabcdefghijklmn\" ? 2 : 3] = count(); a[execname]++; @a = max(a[execname]); }
	END { printf(\"all %d\\n\", n); }"
d -q -x claim=off -n "$clauses" -c "sh $TMP/all"
ends 0 "of records"
plain=$out
d -qn "$clauses" -c "sh $TMP/all"
ends 0 "in the kernel"
is "names" "$out" "$plain"
is "each of them" "$(echo "$out" | awk '$1 ~ /^n/ { print $1, $2 }' | tr '\n' ' ')" "n 1 nabcdef 1 nabcdefg 1 nabcdefgh 1 nabcdefghijklm 1 nabcdefghijklmn 2 "
d -x explain -n "$clauses"' BEGIN { exit(0); }'
like "where" "$out$err" "*syscall::exit_group:entry at line 1: is kept in the kernel*"
finish
