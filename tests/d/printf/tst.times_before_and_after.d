/*
 * %Y and %T print nanoseconds since 1970 as local time.
 *
 * opts: -q
 */

BEGIN
{
	printf("%Y|%T\n", 0LL, 0LL);
	printf("%Y|%T\n", 946684799999999999LL, 946684799999999999LL);
	printf("%Y|%T\n", 951782400000000000LL, 951782400000000000LL);
	printf("[%25Y|%-25Y]\n", 0LL, 0LL);
	exit(0);
}
