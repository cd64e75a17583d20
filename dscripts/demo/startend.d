#!/usr/bin/env -S dtrace -s
/* startend.d: the beginning and the end of a run. */
#pragma D option quiet

BEGIN
{
	began = timestamp;
	printf("begins\n");
	exit(0);
}

END
{
	printf("ends after %d ms\n", (timestamp - began) / 1000000);
}
