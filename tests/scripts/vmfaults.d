#!/usr/sbin/dtrace -s
/* vmfaults.d: statistics of memory of a program, and the functions that make it zero pages. */
#pragma D option quiet

vminfo:::as_fault, vminfo:::zfod, vminfo:::cow_fault, vminfo:::maj_fault, vminfo:::min_fault
/pid == $target/
{
	@[probename] = sum(arg0);
}

vminfo:::zfod
/pid == $target/
{
	@by[ufunc(uregs[R_PC])] = sum(arg0);
}

dtrace:::END
{
	printa("%s %@d\n", @);
	printa("%A %@d\n", @by);
}
