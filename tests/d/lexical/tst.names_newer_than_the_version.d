/*
 * A name that came later than the version asked for is free.
 *
 * opts: -q -x version=1.0
 */

int freopen;
int strtok, llquantize;

BEGIN
{
	freopen = 3;
	strtok = 4;
	llquantize = 5;
	printf("%d\n", freopen + strtok + llquantize);
	exit(0);
}
