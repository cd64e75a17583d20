#!/usr/bin/env -S dtrace -s
/* tick.d: timers, and which of them is due when. */
#pragma D option quiet

BEGIN
{
	began = timestamp;
}

tick-200ms
{
	printf("%4d ms tick-200ms\n", (timestamp - began) / 1000000);
}

tick-500ms
{
	printf("%4d ms tick-500ms\n", (timestamp - began) / 1000000);
}

tick-1100ms
{
	exit(0);
}
