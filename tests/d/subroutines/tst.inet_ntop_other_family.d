/*
 * inet_ntop of another address family: the fault `illegal operation`.
 *
 * opts: -q
 */

BEGIN
{
	trace(inet_ntop(1, alloca(16)));
}

BEGIN
{
	exit(0);
}
