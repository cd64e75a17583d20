/*
 * %T prints an RFC-822 style local time.
 *
 * opts: -q
 */

BEGIN
{
	printf("%T\n", 0LL);
	exit(0);
}
