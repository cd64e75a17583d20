#!/usr/bin/env -S dtrace -s
/* pid_flowindent.d: the calls of a program as they nest.  -c COMMAND */

#pragma D option flowindent

pid$target:a.out::entry
{
	printf("(%x)", arg0);
}

pid$target:a.out::return
{
	printf("= %x", arg1);
}
