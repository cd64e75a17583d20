/* Which functions of sqlite does the workload call, and how often? The twenty busiest. */
#pragma D option quiet

pid$target:libsqlite3.so.0::entry
{
	@calls[probefunc] = count();
}

END
{
	trunc(@calls, 20);
	printa("%-40s %@10d\n", @calls);
}
