/*
 * Only the members that are read are evaluated.
 *
 * opts: -q
 */

struct o { int good; int bad; };
translator struct o < int p > { good = p; bad = 1 / p; };

BEGIN
{
	zero = 0;
	trace(xlate <struct o>(zero).good);
}

BEGIN
{
	trace(xlate <struct o>(zero).bad);
}

ERROR
{
	printf(" fault %d\n", arg4);
	exit(0);
}
