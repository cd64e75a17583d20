#!/usr/bin/env -S dtrace -s
/* pf.d: page faults by kind and place, memory that is asked for, and what was read, while a program runs.  -c COMMAND */
#pragma D option quiet

pf:::trans_flt, pf:::dzero_flt, pf:::cow_flt, pf:::gp_flt, pf:::av_flt
/pid == $target/
{
	@faults[probename, umod(arg2 ? ucaller : arg1)] = count();
}

pf:::hardflt
/pid == $target/
{
	@faults[probename, umod(ucaller)] = count();
	@reads[args[0]] = count();
	@times = quantize(args[2]);
}

pf:::valloc, pf:::vfree
/pid == $target/
{
	@space[probename] = sum(arg2);
}

END
{
	printf("%-10s %-40s %10s\n", "FAULT", "FROM", "COUNT");
	printa("%-10s %-40A %@10d\n", @faults);
	printf("\n%-10s %22s\n", "SPACE", "BYTES");
	printa("%-10s %@22d\n", @space);
	printf("\n%-51s %10s\n", "READ FROM", "COUNT");
	printa("%-51s %@10d\n", @reads);
	printf("\nmicroseconds a fault with a read takes\n");
	printa(@times);
}
