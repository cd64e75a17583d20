#!/usr/bin/env -S dtrace -s
/* pid_userctf.d: the structure that a function's first argument leads to, as the program's debug information has it.  -c COMMAND FUNCTION */
#pragma D option quiet

pid$target:a.out:$1:entry
/args[0]/
{
	printf("%s at %a\n", probefunc, arg0);
	print(*args[0]);
	printf("\n");
}
