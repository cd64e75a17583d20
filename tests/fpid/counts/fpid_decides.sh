# Predicates of clauses that record are decided in the program, with the variables they need: what does not pass is
# not recorded, and cannot be lost. What is printed is what would be without.
# needs: user
. tests/lib/lib.sh

same() { # same CLAUSES: with and without claims; something is printed
	d -qn "$1" -o "$TMP/claimed" -c "$TARGETS/hot 3000"
	ends 0 "$1"
	d -qn "$1" -x claim=off -o "$TMP/recorded" -c "$TARGETS/hot 3000"
	ends 0 "$1, recorded"
	cmp -s "$TMP/claimed" "$TMP/recorded" ||
		fail "$1: $(diff "$TMP/recorded" "$TMP/claimed" | head -5)"
	[ "$(tr -d '\n' <"$TMP/claimed" | wc -c)" -gt 0 ] || fail "$1: nothing printed"
	rm -f "$TMP/claimed" "$TMP/recorded"
}

# decided CLAUSES: nine of ten calls find no room for a record, but none is asked for
decided() {
	d -qn "$1" -x fpidbuf=16k -x switchrate=1hz -c "$TARGETS/hot 100000"
	ends 0 "$1"
	case $err in *drop*) fail "$1: $err" ;; esac
	is "$1: lines" "$(grep -c '^x ' "$TMP/out")" "${2:-98}"
}

f='fpid$target:a.out:f'
p='{ printf("x %d\n", arg0); }'

# all that was lost before: 98 of 100,000 calls have the argument 7
decided "$f:entry /arg0 == 7/ $p"
decided "$f:entry /args[0] == 7/ $p"
decided "$f:entry /7 == (int)arg0 && pid == \$target && execname == \"hot\"/ $p"
decided "$f:return /arg1 == 8/ { printf(\"x %d\n\", arg1); }"
decided "$f:entry { self->a = arg0; } $f:return /self->a == 7/ { printf(\"x %d\n\", self->a); }"
decided "$f:entry { self->a = arg0; } $f:return /self->a == 7/ { printf(\"x %d\n\", self->a); self->a = 0; }"
decided "$f:entry { self->a = arg0; }
	$f:return /self->a == 7/ { printf(\"x %s %s %s\n\", probefunc, execname, arg1 > 3 ? \"deep\" : \"flat\"); self->a = 0; }"
decided "$f:entry { this->x = arg0 * 2; } $f:entry /this->x == 14/ { printf(\"x %d\n\", this->x); }"
decided "$f:entry { if (arg0 == 7) { printf(\"x %d\n\", arg0); } }"
decided "$f:entry /arg0 == 7/ { printf(\"x %s\n\", copyinstr(arg1)); }"
decided "$f:entry /arg0 == 7/ { printf(\"x \"); ustack(1); }"
decided "$f:entry /arg0 == 7/ { this->s = copyinstr(arg1); printf(\"x %s\n\", this->s); }"
decided "$f:entry { self->t = timestamp; }
	$f:return /self->t && timestamp - self->t > 1000000000000/ { printf(\"x\n\"); } END { printf(\"x 1\n\"); }" 1

for e in 'arg0 < 5' '5 > arg0' '(char)arg0 == -3' '(unsigned char)arg0 == 253' '(short)(arg0 * 64) < 0 && arg0 % 7 == 3' \
	'arg0 > 1000 ? arg0 & 1 : arg0 == 3' '!(arg0 & 0xff)' 'arg0 == 3 || arg0 == 5 && arg1' '(arg0 ^ 5) == 1' \
	'-arg0 == -9' '~arg0 == -10' '(uint32_t)(arg0 << 25) >> 25 == 5' 'arg0 / 100 == 3 && arg0 % 10 == 1' \
	'tid == $target && arg0 == 4' 'ppid != pid && uid >= 0 && gid >= 0 && arg0 == 1' 'execname != "cold" && arg0 == 1' \
	'execname > "hos" && execname < "hou" && arg0 == 2' '(uint64_t)arg0 - 5 < 3' 'args[0] + 1 == 8' '(long)arg0 - 1020 > 0'; do
	same "$f:entry /$e/ $p"
done
for e in 'arg1 == 3' 'arg1 < 5' 'arg1 % 100 == 0 && arg0' 'self->a == arg1 - 1 && arg1 > 1000' 'self->a > 1020 ^^ self->a < 3'; do
	same "$f:entry { self->a = arg0; } $f:return /$e/ { printf(\"%d %d\n\", self->a, arg1); }"
done
# what a clause assigns, and what comes before and after it
same "self int n; $f:entry { self->n++; } $f:entry /self->n % 500 == 0/ { printf(\"%d\", self->n); self->n += 3; printf(\" %d\n\", self->n); }
	$f:return /self->n % 500 == 3/ { printf(\"%d\n\", self->n++); }"
same "self char c; $f:entry { self->c = arg0; } $f:return /self->c == -2/ { printf(\"%d %d\n\", self->c, arg1); }"
same "$f:entry /arg0 % 10 == 0/ { this->x = 1; this->y = arg0; } $f:entry /this->x && arg0 % 50 == 0/ { printf(\"%d\n\", this->y); }
	$f:entry /!this->x && arg0 % 77 == 0/ { printf(\"- %d\n\", this->y); }"
same "$f:entry { if (arg0 == 7) { printf(\"seven\n\"); } else if (arg0 % 500 == 1) { printf(\"%d\n\", arg0); self->z = 1; } }
	$f:return /self->z/ { printf(\"z %d\n\", arg1); self->z = 0; }"
# some clauses run there, some are recorded, some aggregate here, all in their places
same "$f:entry { @n = count(); @s[arg0 & 1] = sum(arg0); } $f:entry /arg0 % 400 == 1/ { printf(\"%d\n\", arg0); }
	$f:entry /arg0 == 5/ { @st[ustack(1)] = count(); n++; } $f:return /arg1 == 6/ { printf(\"n %d\n\", n); }"
# variables that cannot be kept there, beside those that can
same "$f:entry /arg0 % 300 == 0/ { self->s = copyinstr(arg1); self->a = arg0; }
	$f:return /self->a/ { printf(\"%s %d\n\", self->s, self->a); self->a = 0; self->s = 0; }"
same "$f:entry { self->k[arg0 & 3] = arg0; } $f:return /arg1 == 9/ { printf(\"%d %d\n\", self->k[0], self->k[1]); }"
same "$f:entry /arg0 == 8/ { self->p = arg0; printf(\"%d\n\", *(int *)copyin(arg1, 4)); } $f:return /self->p/ { printf(\"p\n\"); self->p = 0; }"
# a fault ends a clause, also before it assigns; the same number of lines, the same errors
same "$f:entry /arg0 < 3/ { printf(\"%d\n\", 6 / arg0); self->q = arg0 + 1; } $f:return /self->q/ { printf(\"q %d\n\", self->q); self->q = 0; }"
same "$f:entry /arg0 == 3/ { self->z = 1; printf(\"%s\", copyinstr(arg0)); self->z = 2; }
	$f:return /self->z/ { printf(\"%s %d\\n\", probefunc, self->z); self->z = 0; }"
# shown and ended at the hit that asks for it
same "$f:entry { @ = count(); } $f:entry /arg0 == 99/ { printa(@); clear(@); }"
same "$f:entry { @ = count(); } $f:entry /arg0 == 99/ { printf(\"end\n\"); exit(0); }"
same "$f:entry /arg0 == 3/ { self->spec = speculation(); speculate(self->spec); printf(\"s %d\n\", arg0); }
	$f:return /self->spec/ { commit(self->spec); self->spec = 0; }"
same "BEGIN { self->b = 1; } $f:entry /arg0 == 4/ { self->b = arg0; } $f:return /self->b == 4/ { printf(\"b\n\"); self->b = 0; }"

# the values printed are those that the predicate saw
d -qn "$f:entry { self->t = timestamp; } $f:return /timestamp - self->t > 300/ { printf(\"x %d\n\", timestamp - self->t); }" \
	-c "$TARGETS/hot 200000"
ends 0 'timestamp'
awk '$1 == "x" { n++; bad += $2 <= 300 } END { exit !(n && !bad) }' "$TMP/out" || fail "timestamp: $(head -3 "$TMP/out")"

# in threads, at several returns, with the caller and arguments on the stack
d -qn "$f:entry /arg0 == 7/ { @[tid == pid] = count(); printf(\"x %d\n\", arg0); }" -c "$TARGETS/hot 50000 4"
ends 0 threads
is threads "$(grep -c '^x 7$' "$TMP/out")" 196
finish
