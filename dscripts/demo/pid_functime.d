#!/usr/bin/env -S dtrace -s
/* pid_functime.d: how long the functions of a program take, with what they call, nanoseconds.  -c COMMAND */
#pragma D option quiet

pid$target:a.out::entry
{
	self->began[probefunc, ++self->depth] = timestamp;
}

pid$target:a.out::return
/self->depth && self->began[probefunc, self->depth]/
{
	@times[probefunc] = count();
	@ns[probefunc] = sum(timestamp - self->began[probefunc, self->depth]);
	self->began[probefunc, self->depth] = 0;
	self->depth--;
}

END
{
	printf("%-40s %10s %14s\n", "FUNCTION", "CALLS", "NS");
	printa("%-40s %@10d %@14d\n", @times, @ns);
}
