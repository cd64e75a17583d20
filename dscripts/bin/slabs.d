#!/usr/bin/env -S dtrace -s
/*
 * slabs.d: memory of the kernel (slabs) that is allocated and freed in the name of a process: how much, and from
 * where in the kernel most of it is asked for.
 *
 *   slabs.d -c COMMAND
 *   slabs.d -p PID
 */
#pragma D option quiet

BEGIN
/$target == 0/
{
	printf("slabs.d: -c COMMAND or -p PID is needed\n");
	exit(2);
}

linux-kmem:::kmem_cache_alloc, linux-kmem:::kmalloc
/pid == $target/
{
	@calls["allocated"] = count();
	@bytes["allocated"] = sum(args[0]->bytes_alloc);
	@from[(uint64_t)args[0]->call_site] = sum(args[0]->bytes_alloc);
}

linux-kmem:::kmem_cache_free, linux-kmem:::kfree
/pid == $target/
{
	@calls["freed"] = count();
}

END
/$target != 0/
{
	printa("%-10s %@10d calls\n", @calls);
	printa("%-10s %@10d bytes\n", @bytes);
	trunc(@from, 10);
	printf("\n%-56s %12s\n", "ALLOCATED FROM", "BYTES");
	printa("%-56a %@12d\n", @from);
}
