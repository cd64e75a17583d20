#!/usr/sbin/dtrace -s
/* iowaits.d: how often and how long a program stands still for a disk. */
#pragma D option quiet

io:::wait-start
/execname == $$1/
{
	self->since = timestamp;
}

io:::wait-done
/self->since/
{
	@["waits"] = count();
	@ns["ns"] = sum(timestamp - self->since);
	self->since = 0;
}

io:::start
/execname == $$1/
{
	@asked["asked"] = count();
}

dtrace:::END
{
	printa("%s %@d\n", @);
	printa("%s %@d\n", @ns);
	printa("%s %@d\n", @asked);
}
