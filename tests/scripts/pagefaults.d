#!/usr/sbin/dtrace -Zs
/*
 * pagefaults.d: faults of memory, where the system tells them, beside the calls that map it.
 */
#pragma D option quiet

vminfo:::as_fault, vminfo:::maj_fault
/pid == $target/
{
	@fault[probename] = sum(arg0);
}

syscall::mmap:entry
/pid == $target && (arg3 & MAP_ANONYMOUS) && (arg3 & MAP_PRIVATE) && (arg2 & (PROT_READ | PROT_WRITE | PROT_EXEC)) == PROT_READ/
{
	@map["private, read only"] = sum(arg1);
}
