/*
 * Tracing a never-assigned self-> string is the fault invalid address.
 *
 * opts: -q
 */

self string s;
BEGIN
{
	trace(self->s);
}
ERROR
{
	printf("%d %d\n", arg4, arg5);
	exit(0);
}
