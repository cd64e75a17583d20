/*
 * Events that clauses of emitted events emit end at the eighth; what is more than an event can carry
 * as argN is in args[].
 */
#pragma D option quiet

BEGIN
{
	emit("again", 1);
	emit("wide", 1, 2, 3, 4, 5, 6, 7, 8, 9, (int8_t)-10, "eleven", 12ULL << 40);
	exit(0);
}

emit:::again
{
	printf("%d ", args[0]);
	emit("again", args[0] + 1);
}

emit:::wide
{
	printf("%d %d %s %x\n", args[8], args[9], args[10], args[11]);
}

ERROR
{
	printf("fault %d\n", arg4);
}
