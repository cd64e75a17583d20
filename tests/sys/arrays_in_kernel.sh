# Arrays, names of calls and long histograms of clauses that run whole in the kernel: the same results as of records.
# needs: root
# timeout: 240
. tests/lib/lib.sh
. tests/lib/sys.sh
. tests/lib/in_kernel.sh
need_perf_system
need_bpf

both "an array by thread" 2 "$at { t[tid] = arg1 + 1; } syscall::lseek:return /t[tid]/ { @[t[tid] & 7] = sum(t[tid]); t[tid] = 0; }"
both "an array by names and numbers" 2 "$at { t[pid, probefunc, execname, (char)arg1] = arg1; } syscall::lseek:return /t[pid, probefunc, execname, (char)arg1] > 9/ { @[(char)arg1] = count(); @l = lquantize(t[pid, probefunc, execname, (char)arg1], 0, 300, 10); }"
both "an array of the thread" 2 "$at { self->t[probefunc, (char)arg1] = arg1 + 1; self->u[arg2]++; self->m = self->u[0]; } syscall::lseek:return /self->t[probefunc, (char)(arg0 & 127)]/ { @[self->t[probefunc, (char)(arg0 & 127)] & 7] = count(); @m = max(self->u[0]); self->t[probefunc, (char)(arg0 & 127)] = 0; }"
both "an array that counts" 1 "char n[int]; $at { n[arg1 & 3] += 3; @[arg1 & 3] = min(n[arg1 & 3]); }" 100
both "an array of other keys" 1 "int a[int]; $at { a[arg1 & 3] = a[(arg1 + 1) & 3] + 1; a[arg1 % 5] += a[arg1 % 7]--; @[arg1 & 7] = max(a[arg1 & 7]); }" 100

both "names of calls" 2 'syscall:::entry /pid == $target && probefunc == "lseek"/ { self->n = arg1 + 1; } syscall:::return /self->n/ { @[probefunc == "lseek" ? 1 : 0, probefunc != "close", probefunc == "nothing"] = count(); self->n = 0; }'
both "names of probes" 2 'int n[string]; syscall::lseek:entry, syscall::lseek:return /pid == $target/ { n[probename]++; @[probename == "entry" ? "in" : "out"] = max(n[probename]); @b[probename != "return", arg1 & 3] = count(); }'
both "orders of magnitude" 1 "$at { this->x = (arg1 - 150) * (arg1 - 100) * arg1; @a = llquantize(this->x, 10, 2, 5, 20); @b = llquantize(arg1, 10, 0, 1, 20); @c = llquantize(-arg1, 2, 1, 8, 4); @d = llquantize(this->x, 7, 0, 3, 49); }"

# each thread has its own, also of those with the number of one that has ended
d -q -x evaltime=exec -n 'syscall::getppid:entry { self->n[probefunc]++; @m[tid == pid] = max(self->n[probefunc]); @c = count(); }' -c "$TARGETS/getppids 500 4"
ends 0 "threads"
is "threads: each from the beginning" "$(awk 'NF == 2 { print $2 }' "$TMP/out" | sort -u | tr '\n' ' ')" "500 "
is "threads: all" "$(awk 'NF == 1 { print $1 }' "$TMP/out")" 2500
finish
