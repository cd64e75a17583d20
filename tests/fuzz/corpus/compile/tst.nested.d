/*
 * A definition may use other translators, and a member of a member is translated too.
 *
 * opts: -q
 */

struct in { int x; };
struct o { struct in in; int y; };
translator struct in < int p > { x = p + 100; };
translator struct o < int p > {
	in = xlate <struct in>(p + 1);
	y = xlate <struct in *>(p)->x + xlate <struct in>(p * 2).x;
};

BEGIN
{
	printf("%d %d\n", xlate <struct o>(7).in.x, xlate <struct o *>(7)->y);
	exit(0);
}
