# -x noresolve: addresses of programs are told by the file and how far they lie behind the start of their mapping.
# needs: user
. tests/lib/lib.sh
need readelf

# the first address of the mapping for execution, and the function's, as the file has them
start=$(readelf -lW "$TARGETS/t" | awk '$1 == "LOAD" && / R E / { print $3 }')
leaf=$(readelf -sW "$TARGETS/t" | awk '$8 == "leaf" { print "0x" $2; exit }')
off=$(printf '0x%x' $((leaf - start / 4096 * 4096)))

for action in 'usym(uregs[R_RIP])' 'ufunc(uregs[R_RIP])' 'uaddr(uregs[R_RIP])'; do
	rm -f "$TMP/o"
	d -x noresolve -qn "pid\$target:a.out:leaf:entry { $action; exit(0); }" -c "$TARGETS/t 1" -o "$TMP/o"
	is "$action" "$(tr -d ' \n' <"$TMP/o")" "t:$off"
	d -x noresolve -qn "pid\$target:a.out:leaf:entry { @[$action] = count(); }" -c "$TARGETS/t 1" -o "$TMP/o"
	like "$action as a key" "$(cat "$TMP/o")" "*t:$off *"
	d -qn "pid\$target:a.out:leaf:entry { $action; exit(0); }" -c "$TARGETS/t 1" -o "$TMP/o"
	like "$action with names" "$(cat "$TMP/o")" '*t`leaf*'
done
rm -f "$TMP/o"
d -x noresolve -qn 'pid$target:a.out:leaf:entry { ustack(); exit(0); }' -c "$TARGETS/t 1" -o "$TMP/o"
is "ustack(): first" "$(awk 'NF { print $1; exit }' "$TMP/o")" "t:$off"
like "ustack(): others" "$(cat "$TMP/o")" "*t:0x*libc.so.6:0x*"
case $(cat "$TMP/o") in *'`'*) fail "a name: $(cat "$TMP/o")" ;; esac
rm -f "$TMP/o"
d -x noresolve -qn 'pid$target:a.out:leaf:entry { @[umod(uregs[R_RIP])] = count(); }' -c "$TARGETS/t 1" -o "$TMP/o"
like "umod()" "$(cat "$TMP/o")" "* t  *"
finish
