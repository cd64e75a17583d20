/*
 * etw_trace() prints nothing and makes no line; a value that cannot be read is a fault.
 */

BEGIN
{
	etw_trace("prov", "{3c6f1d4c-0000-1111-2222-0123456789ab}", "start", 4, 0xff, "etw_int32", "pid", pid, "etw_string", "name", execname);
}

BEGIN
{
	etw_trace("prov", "{3c6f1d4c-0000-1111-2222-0123456789ab}", "{3c6f1d4c-0000-1111-2222-0123456789ab}", "pair", 0, 0, "etw_struct", "both", 2,
	    "etw_int8", "a", 1, "etw_pointer", "b", (int *)NULL);
	trace("made");
}

BEGIN
{
	etw_trace("prov", "{3c6f1d4c-0000-1111-2222-0123456789ab}", "bad", 0, 0, "etw_int32", "number", *(int *)NULL);
}

ERROR
{
	trace(arg4);
	exit(0);
}
