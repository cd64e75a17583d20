#!/usr/bin/env -S dtrace -s
/*
 * slableaks.d: slabs of the kernel that are asked for in the name of a program, and what of them is not given back while
 * we look, by the place in the kernel that asked; and the stacks that asked for most.
 *
 *   slableaks.d PROGRAM [SECONDS [STACKS]]     0, or nothing: until Ctrl-C; 5 stacks
 */
#pragma D option quiet
#pragma D option defaultargs
#pragma D option dynvarsize=64m

BEGIN
/$$1 == ""/
{
	printf("slableaks.d: the name of a program is needed\n");
	exit(2);
}

BEGIN
/$$1 != ""/
{
	printf("Tracing %s... Hit Ctrl-C to end.\n", $$1);
}

linux-kmem:::kmem_cache_alloc, linux-kmem:::kmalloc
/execname == $$1 && args[0]->ptr/
{
	size[(uint64_t)args[0]->ptr] = args[0]->bytes_alloc;
	site[(uint64_t)args[0]->ptr] = (uint64_t)args[0]->call_site;
	@asked[(uint64_t)args[0]->call_site] = count();
	@left[(uint64_t)args[0]->call_site] = sum(1);
	@bytes[(uint64_t)args[0]->call_site] = sum(args[0]->bytes_alloc);
	@stacks[stack(8)] = sum(args[0]->bytes_alloc);
}

/* by whomever it is given back */
linux-kmem:::kmem_cache_free, linux-kmem:::kfree
/size[(uint64_t)args[0]->ptr]/
{
	@left[site[(uint64_t)args[0]->ptr]] = sum(-1);
	@bytes[site[(uint64_t)args[0]->ptr]] = sum(-size[(uint64_t)args[0]->ptr]);
	size[(uint64_t)args[0]->ptr] = 0;
	site[(uint64_t)args[0]->ptr] = 0;
}

tick-1s
/$2 && ++seconds == $2/
{
	exit(0);
}

END
/$$1 != ""/
{
	trunc(@stacks, $3 ? $3 : 5);
	printf("%-50s %9s %9s %12s\n", "ASKED FOR BY", "TIMES", "LEFT", "BYTES LEFT");
	printa("%-50a %@9d %@9d %@12d\n", @asked, @left, @bytes);
	printf("\nbytes asked for from\n");
	printa(@stacks);
}
