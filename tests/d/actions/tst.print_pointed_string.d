/*
 * What a pointer points to shows the characters of a string one a line, as those of any array.
 *
 * opts: -q -x scratchsize=4k
 */

struct s {
	string m;
	int a;
	string empty;
};
struct s v;

BEGIN
{
	v.m = "ab";
	v.a = 2;
	p = (struct s *)alloca(sizeof (struct s));
	*p = v;
	print(p);
	exit(0);
}
