/*
 * A condition that is constant chooses while the program is parsed: the aggregation is the statement, or
 * none is; what is not chosen is not looked at any further.
 *
 * opts: -q
 * args: 1
 */

inline int OPT_on = $1;
inline int OPT_off = !OPT_on;
enum { NONE, ONE };

BEGIN
/OPT_off ? nosuch == 1 : 1/
{
	trace("predicate");
}

BEGIN
{
	1 ? @a["x", 2] = count() : 1;
	0 ? @a[1] = count() : 1;
	OPT_on ? @b = sum(3) : 1;
	OPT_off ? @b[nosuch] = max(nosuch) : 1;
	$1 == 1 && ONE > NONE ? @c[1] = count() : 1;
	NONE ? @c["other"] = sum(1) : ONE ? @d[4] = count() : 1;
	sizeof(long) == 8 ? @e = count() : nosuch();
	(OPT_on ? @f[1] = count() : 1);
	OPT_off ? printf("off", nosuch) : printf("on\n");
	trace(OPT_on ? 3 : nosuch[4]);
	trace(sizeof(pid) == 4 ? "yes" : nosuch->member);
	OPT_off ? nosuch = 1 : 1;
	(OPT_on ? x : y) = 5;
	trace(x);
	exit(0);
}
