/*
 * A clause may name an event that a later clause emits, if it does not ask for its fields; a fault
 * behind an emit() does not take it back, one within its fields does; the fields of etw_trace() are
 * the arguments of a generic event.
 */
#pragma D option quiet

emit:::early
{
	printf("early %d\n", arg0);
}

BEGIN
{
	emit("early", 5);
	emit("never", *(int *)NULL);
}

BEGIN
{
	etw_trace("My-Provider", "{3c6f1d4c-0000-1111-2222-0123456789ab}", "start", 4, 0xff,
	    "etw_struct", "both", 2, "etw_int32", "number", 6, "etw_string", "name", "text");
	exit(0);
}

emit:::never
{
	printf("never\n");
}

etw:My-Provider:start:generic_event
{
	printf("%s %s %d %s\n", probemod, probefunc, args.number, args.name);
}
