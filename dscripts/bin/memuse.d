#!/usr/bin/env -S dtrace -s
/*
 * memuse.d: the memory of a process that is resident, in kilobytes, by its kind, each second and at the end; and the most
 * there was of each.
 *
 *   memuse.d -c COMMAND
 *   memuse.d -p PID
 */
#pragma D option quiet

BEGIN
/$target == 0/
{
	printf("memuse.d: -c COMMAND or -p PID is needed\n");
	exit(2);
}

inline string KIND[int member] = member == 0 ? "files" : member == 1 ? "anonymous" : member == 2 ? "swapped" : "shared";

BEGIN
{
	printf("%8s %12s %12s %12s %12s\n", "SECOND", "ANONYMOUS", "FILES", "SHARED", "SWAPPED");
}

linux-kmem:::rss_stat
/pid == $target && args[0]->curr/
{
	kb[args[0]->member] = args[0]->size / 1024;
	@most[KIND[args[0]->member]] = max(args[0]->size / 1024);
}

tick-1s, END
/$target != 0/
{
	printf("%8d %12d %12d %12d %12d\n", ++second, kb[1], kb[0], kb[3], kb[2]);
}

END
/$target != 0/
{
	printa("most %s: %@d\n", @most);
}
