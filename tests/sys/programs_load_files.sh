# The kernel accepts the programs of fsinfo and reg, whatever is wanted of them: nothing, members, stacks, both, what predicates
# ask for. They take its verifier longer than those of all other providers together.
# needs: root
# timeout: 400
. tests/lib/lib.sh
. tests/lib/sys.sh
need_perf_system
need_bpf

all='fsinfo:::,reg:::'
for wants in '@ = count();' '@[curpsinfo->pr_psargs, curlwpsinfo->pr_addr] = count();' '@[stack()] = count();' \
	'@[curthread->comm, curthread->mm->arg_start, ustack(), stack(), curlwpsinfo->pr_addr] = count();'; do
	d -qn "$all { $wants } BEGIN { exit(0); }"
	ends 0 "all { $wants }"
	[ "$status" != 0 ] || continue
	for probes in $(echo "$all" | tr , ' '); do # which?
		d -qn "$probes { $wants } BEGIN { exit(0); }"
		ends 0 "$probes { $wants }"
	done
done
# what predicates ask for is code of its own
for what in 'fi_fs == "x"' 'fi_name == "x"' 'fi_mount == "/x"' 'fi_pathname == "/x"' 'fi_offset > 5' 'fi_fs == "x" && args[0]->fi_mount != "/x" && args[0]->fi_name == "y"'; do
	d -qn "fsinfo:::read, fsinfo:::create, fsinfo:::close, fsinfo:::done /args[0]->$what/ { @[args[0]->fi_fs] = sum(args[0]->fi_bcount); } BEGIN { exit(0); }"
	ends 0 "fsinfo /$what/"
done
# so are clauses that run in the kernel, alone and beside all else
for more in '' 'fsinfo:::close, fsinfo:::cleanup /args[0]->fi_fs == "x" && args[0]->fi_name != "y"/ { @c[args[0]->fi_fs, ustack()] = count(); }
	fsinfo:::rename, fsinfo:::delete /args[0]->fi_mount != "/x"/ { @d[args[0]->fi_name, args[0]->fi_pathname] = count(); }'; do
	d -vn "int n; fsinfo:::create, fsinfo:::read, fsinfo:::write, fsinfo:::queryinfo { n++; @m[probename, stack()] = max(n + args[0]->fi_offset); } $more
		BEGIN { exit(0); }"
	ends 0 "clauses in the kernel $more"
	like "clauses in the kernel $more" "$err" "*run in the kernel: * of fsinfo*"
done
for what in 'r_value == "1"' 'r_newvalue == "1"' 'r_status == 0' 'r_rname == "/sys/1"' 'r_rname == "/sys/1" && args[0]->r_value == "1"'; do
	d -qn "reg:::setvalue, reg:::queryvalue /args[0]->$what/ { @[args[0]->r_status] = count(); } BEGIN { exit(0); }"
	ends 0 "reg /$what/"
done
finish
