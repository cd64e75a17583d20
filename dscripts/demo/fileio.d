#!/usr/bin/env -S dtrace -s
/* fileio.d: what a program does with files, operation by operation, and what came of it.  -c COMMAND */
#pragma D option quiet

fsinfo:::create, fsinfo:::read, fsinfo:::write, fsinfo:::setinfo, fsinfo:::delete, fsinfo:::rename, fsinfo:::direnum,
fsinfo:::flush, fsinfo:::queryinfo, fsinfo:::fscontrol
/pid == $target/
{
	self->what = probename;
	self->irp = args[0]->fi_irp;
	self->began = timestamp;
}

fsinfo:::done
/self->irp && args[0]->fi_irp == self->irp/
{
	printf("%-16s %-10s %6d %9d us %s\n", execname, self->what, args[0]->fi_rstatus, (timestamp - self->began) / 1000,
	    args[0]->fi_pathname);
	@[self->what] = count();
	self->irp = 0;
	self->what = 0;
	self->began = 0;
}

fsinfo:::cleanup, fsinfo:::close
/pid == $target/
{
	@[probename] = count();
}

END
{
	printf("\n");
	printa("%-10s %@10d\n", @);
}
