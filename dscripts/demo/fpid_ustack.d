#!/usr/bin/env -S dtrace -s
/* fpid_ustack.d: from where a function is called: the stacks, by how often.  -c COMMAND FUNCTION */
#pragma D option quiet

fpid$target:a.out:$1:entry
{
	@[ustack(5)] = count();
}

END
{
	trunc(@, 3);
	printa(@);
}
