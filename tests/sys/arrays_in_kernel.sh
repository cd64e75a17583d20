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
both "an array that counts" 1 "char n[int]; $at { n[arg1 & 3] += 3; @[arg1 & 3] = min(n[arg1 & 3]); }" 100
both "an array of other keys" 1 "int a[int]; $at { a[arg1 & 3] = a[(arg1 + 1) & 3] + 1; a[arg1 % 5] += a[arg1 % 7]--; @[arg1 & 7] = max(a[arg1 & 7]); }" 100

both "names of calls" 2 'syscall:::entry /pid == $target && probefunc == "lseek"/ { self->n = arg1 + 1; } syscall:::return /self->n/ { @[probefunc == "lseek" ? 1 : 0, probefunc != "close", probefunc == "nothing"] = count(); self->n = 0; }'
both "orders of magnitude" 1 "$at { this->x = (arg1 - 150) * (arg1 - 100) * arg1; @a = llquantize(this->x, 10, 2, 5, 20); @b = llquantize(arg1, 10, 0, 1, 20); @c = llquantize(-arg1, 2, 1, 8, 4); @d = llquantize(this->x, 7, 0, 3, 49); }"
finish
