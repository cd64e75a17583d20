#!/usr/sbin/dtrace -s
/* execfails.d: programs that could not be started, and why. */
#pragma D option quiet

proc:::exec
/progenyof($target)/
{
	self->path = args[0];
}

proc:::exec-failure
/self->path != NULL/
{
	@[self->path, args[0] == ENOENT ? "not there" : args[0] == EACCES ? "not a program" : "other"] = count();
	self->path = 0;
}

proc:::exec-success
{
	self->path = 0;
}

dtrace:::END
{
	printa("%s: %s %@d\n", @);
}
