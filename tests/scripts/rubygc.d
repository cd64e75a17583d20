#!/usr/sbin/dtrace -Zs
/* rubygc.d: collections of Ruby's garbage. */
#pragma D option quiet

ruby$target:::gc-mark-begin
{
	self->mark = timestamp;
}

ruby$target:::gc-mark-end
/self->mark/
{
	@["marked"] = count();
	@t["in no time"] = sum(timestamp - self->mark <= 0);
	self->mark = 0;
}
