#!/usr/sbin/dtrace -Zs
/*
 * pygc.d: collections of Python's garbage by generation, and modules as they are looked for.
 */
#pragma D option quiet

python$target:::gc-start
{
	self->in = 1;
	@["generation", (int)arg0] = count();
}

python$target:::gc-done
/self->in/
{
	@done["done"] = count();
	self->in = 0;
}

python$target:::import-find-load-start
{
	@mod["import", copyinstr(arg0)] = count();
}
