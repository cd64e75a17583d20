# A 32-bit program runs on undisturbed and is refused with the reason; where it is one of several that a
# process executes, the others are probed.
# needs: user
. tests/lib/lib.sh

need cc
cat >"$TMP/p32.S" <<'EOF'
	.globl _start
	.type _start,@function
_start:
	mov 4(%esp), %ebp	# argv[0]
	mov $4, %eax		# write
	mov $1, %ebx
	mov $text, %ecx
	mov $3, %edx
	int $0x80
	cmpl $1, (%esp)
	je 1f
	mov $11, %eax		# execve(argv[1], argv + 1, 0)
	mov 8(%esp), %ebx
	lea 8(%esp), %ecx
	xor %edx, %edx
	int $0x80
1:	mov $1, %eax		# exit
	xor %ebx, %ebx
	int $0x80
	.size _start, . - _start
	.data
text:	.ascii "32\n"
EOF
cc -m32 -nostdlib -static -o "$TMP/p32" "$TMP/p32.S" 2>/dev/null || skip "no 32-bit assembler"
"$TMP/p32" >/dev/null 2>&1 || skip "no 32-bit programs"

for name in a.out:_start:entry a.out::return ::entry a.out:-:8049000; do
	d -n "pid\$target:$name { }" -c "$TMP/p32"
	ends 1 "$name"
	like "$name" "$err" "dtrace: invalid probe specifier pid\$target:$name { }: failed to grab process *: process * is a 32-bit program"
done

# Other probes have nothing against it.
d -qn 'BEGIN { printf("there\n"); }' -c "$TMP/p32"
ends 0 "BEGIN"
is "both" "$(printf '%s\n' "$out" | sort)" "32
there"

# 64 bits, 32 bits and back.
true=/bin/true
for env in "-Zq -n" "-Zq -x follow -n"; do
	# shellcheck disable=SC2086
	d $env 'pid$target:libc.so.6:exit:entry { @[execname] = count(); } END { printa("%s %@d\n", @); }' \
		-o "$TMP/agg" -c "sh -c 'exec $TMP/p32 $true'"
	ends 0 "exec"
	is "what the 32-bit program says" "$out" 32
	like "the last program" "$(cat "$TMP/agg")" "*true 1*"
	rm -f "$TMP/agg"
done
finish
