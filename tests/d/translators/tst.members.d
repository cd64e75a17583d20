/*
 * xlate <OUT>(e).member and xlate <OUT *>(e)->member read one translated member.
 *
 * opts: -q
 */

struct o { int a; int b; };
translator struct o < int p > { a = p + 1; b = p * 2; };

BEGIN
{
	printf("%d %d\n", xlate <struct o>(5).a, xlate <struct o *>(5)->b);
	exit(0);
}
