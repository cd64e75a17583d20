#!/usr/sbin/dtrace -s
/* recursion.d: how deep a function calls itself, and how often from the outside. */
#pragma D option quiet

pid$target:a.out:recurse:entry
{
	@outer["outermost"] = sum(!self->level);
	self->level++;
	@deep["deepest"] = max(self->level);
	@calls["calls"] = count();
}

pid$target:a.out:recurse:return
/self->level/
{
	self->level--;
}

dtrace:::END
{
	printa(@outer);
	printa(@deep);
	printa(@calls);
}
