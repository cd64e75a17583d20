# stackid() is the stack of the kernel as a number, which is the stack again as a key: the same as stack() has at the same events.
# needs: root
. tests/lib/lib.sh
. tests/lib/sys.sh
need_perf_system

d -qn 'syscall::nanosleep:entry, syscall::clock_nanosleep:entry /pid == $target/
	{ self->in = stackid(); @a["stack", stack()] = count(); n++; }
	syscall::nanosleep:return, syscall::clock_nanosleep:return /self->in/
	{ @b["stack", self->in] = count(); @user["none", (ustackid_t)self->in] = count(); }
	END { printf("n %d\n", n); printa("a %s%k%@d\n", @a); printa("b %s%k%@d\n", @b); printa("c %s%k%@d\n", @user); }' \
	-c "$TARGETS/toolwork sleeps 7 100"
ends 0 "both"
is "both: errors" "$err" ""
n=$(echo "$out" | sed -n 's/^n //p')
[ "$n" -ge 7 ] || fail "only $n calls: $out"
echo "$out" | sed -n '/^a /,/^[0-9]/p' | sed 's/^a //' >"$TMP/a"
echo "$out" | sed -n '/^b /,/^[0-9]/p' | sed 's/^b //' >"$TMP/b"
[ "$(wc -l <"$TMP/a")" -ge 3 ] || fail "no stack: $(cat "$TMP/a")"
cmp "$TMP/a" "$TMP/b" || fail "$out"
is "a user stack it is none" "$(echo "$out" | sed -n '/^c /,$p' | head -2 | tr '\n' ' ')" "c none $n "
finish
