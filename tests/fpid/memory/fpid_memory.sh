# Memory that arguments point to is recorded at the hit: the same as a breakpoint reads.
# needs: user
# timeout: 120
. tests/lib/lib.sh

both() { # both WHAT CLAUSE: PROV in the clause is pid and then fpid
	for prov in pid fpid; do
		d -n "$(printf '%s' "$2" | sed "s/PROV/$prov/g")
			ERROR { printf(\"error %d %x %d\", arg4, arg5 < 4096, arg3); }" -c "$TARGETS/pointers"
		ends 0 "$1 by $prov"
		# one line per event; what differs is how the probe and its program are called
		sed -e 's/\<f*pid[0-9][0-9]*:/PID:/g' -e '/^9$/d' "$TMP/out" >"$TMP/$prov"
	done
	like "$1: hooked" "$err" "*fpid: 1 function: 1 hooked, 0 by breakpoint*"
	diff "$TMP/pid" "$TMP/fpid" >"$TMP/diff" || fail "$1: (< breakpoints, > records)
$(cat "$TMP/diff")"
}
ARGS='PROV$target:a.out:visit:entry'
both "strings" "$ARGS"' { printf("%s|", copyinstr(arg1)); trace(copyinstr(arg1, 5)); }'
both "keys" "$ARGS"' { @[copyinstr(arg1)] = count(); } END { printa("%s %@d\n", @); }'
both "pieces" "$ARGS"' /arg0/ { printf("%d", *(int *)copyin(arg0, 4)); tracemem(copyin(arg0 + 24, 8), 8); }'
both "chains" "$ARGS"' { printf("%s", copyinstr(*(uintptr_t *)copyin(arg0 + 8, 8))); }'
both "types" "$ARGS"' /args[0] != NULL/ { printf("%d %s", args[0]->n, stringof(args[0]->name)); print(args[0]->text); }'
both "conditions" "$ARGS"' /args[0] != NULL/ { trace(args[0]->next ? args[0]->next->n : -1); }'
both "predicates" "$ARGS"' /copyinstr(arg1) == "heap string" || args[0]->n == 3/ { trace(arg0 != 0); }'
both "clause-local variables" "$ARGS"' { this->p = arg1 + 1; this->s = copyinstr(this->p); printf("%s", this->s); }'
both "work with strings" "$ARGS"' { printf("%d %s", strlen(copyinstr(arg1)), strjoin(copyinstr(arg1), "!")); }'
both "scratch memory" "$ARGS"' /arg0/ { this->p = (char *)copyin(arg0, 4); trace(this->p[3]); trace(this->p[4]); }'
both "scratch memory of a clause before" "$ARGS"' /arg0/ { this->p = (char *)copyin(arg0, 4); } '"$ARGS"' /arg0/ { trace(*this->p); }'
both "copyinto beyond scratch memory" "$ARGS"' /arg0/ { this->p = alloca(4); copyinto(arg0, 8, this->p); }'
both "results" 'PROV$target:a.out:visit:return { printf("%s", copyinstr(arg1)); }'

# a text that is stored in a structure which comes into being with it is a copy, whatever ways meet behind it
d -n 'struct v { long k; string s; }; self struct v v; fpid$target:a.out:visit:entry /arg1 > 4096/ { self->ok = 1; self->v.k = arg1; self->v.s = copyinstr(arg1); }
	fpid$target:a.out:visit:return /self->ok/ { trace(self->v.s); }' -c "$TARGETS/pointers"
ends 0 "a member of a structure of the thread"
like "a member of a structure of the thread" "$out" "*stack 2*heap string*"
case $err in *"the memory it reads"*) fail "a member of a structure of the thread: $err" ;; esac

# where the address comes from elsewhere, only a stopped thread will do
d -n 'fpid$target:a.out:visit:entry /arg0/ { self->p = arg1; } fpid$target:a.out:visit:return /self->p/ { trace(copyinstr(self->p)); }' \
	-c "$TARGETS/pointers"
like "thread-local" "$err" "*by breakpoint; the first: visit: the memory it reads is not told by its arguments alone*"
like "thread-local" "$out" "*stack 2*heap string*"

# a program that would be killed for the call that reads memory
d -qn 'fpid$target:a.out:visit:entry { printf("%s\n", copyinstr(arg1)); }' -c "$TARGETS/pointers self"
ends 0 "filtered"
like "filtered" "$out" "*stack 1*constant*"
like "filtered" "$out" "*heap string*"
case $err in *SIGSYS*) fail "the program was killed: $err" ;; esac
finish
