# Clauses on system calls with variables of their own run whole in the kernel: the same results as of records, and nothing is lost.
# needs: root
# timeout: 240
. tests/lib/lib.sh
. tests/lib/sys.sh
. tests/lib/in_kernel.sh
need_perf_system
need_bpf


both "a pair" 2 "$at { self->n = arg1 + 1; } syscall::lseek:return /self->n/ { @[self->n & 15, execname, probefunc] = count(); self->n = 0; }"
is "as often as the program calls" "$(echo "$out" | awk '$3 == "lseek" { n += $4 } END { print n }')" 300
both "a variable of the clause" 1 "$at { this->x = arg1 / 7; this->y = this->x % -3; @[this->x] = sum(this->y); }"
both "if and else" 1 "$at { if (arg1 & 1) { self->k = arg1; } else { self->k = -arg1; } @[self->k / 10] = quantize(self->k); }"
both "names" 2 "syscall::lseek:entry /execname == \"keyed\" && arg2 == 0/ { self->n++; @a = lquantize(self->n, 0, 100, 10); } syscall::lseek:entry /execname != \"keyed\"/ { @b[execname] = count(); self->n = 0; }"
both "numbers that are narrow" 2 "self char c; self unsigned short u; $at { self->c = arg1; self->u = -arg1; } syscall::lseek:return /self->c < 0 && self->u > 5/ { @[self->c] = avg(self->u); }"
both "results and errors" 2 'syscall::close:entry /pid == $target/ { self->fd = arg0 + 1; } syscall::close:return /self->fd/ { @[(int)self->fd, errno, (int)arg1] = count(); self->fd = 0; }'
both "smallest and largest" 2 "$at { self->n = arg1; } syscall::lseek:return /self->n/ { @a[self->n & 1] = min(self->n); @b = max(-self->n); self->n = 0; }"

# what nobody has looked at: random expressions
seed=$(command -v python3 >/dev/null && echo 1 || echo 13)
while [ $seed -le 12 ]; do
	python3 tests/sys/random_clauses.py $seed >"$TMP/random.d" || fail "random_clauses.py"
	both "random clauses, seed $seed" 3 "$(cat "$TMP/random.d")" 40
	seed=$((seed + 1))
done
finish
