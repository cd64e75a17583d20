/*
 * The value that is translated is evaluated once, however often a definition uses it.
 *
 * opts: -q
 */

struct o { int a; };
translator struct o < int p > { a = p + p + p; };

BEGIN
{
	x = 5;
	printf("%d", xlate <struct o>(x++).a);
	printf(" %d\n", x);
	exit(0);
}
