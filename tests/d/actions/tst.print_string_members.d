/*
 * A string within a structure is an array of characters: [ "text" ].
 *
 * opts: -q
 */

struct s {
	string m;
	int a;
	string empty;
};
struct s v;

BEGIN
{
	v.m = "a b";
	v.a = 2;
	print(v);
	printf("\n");
	print(v.m);
	exit(0);
}
