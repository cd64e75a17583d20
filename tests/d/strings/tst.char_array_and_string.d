/*
 * A char array is compared with and assigned to a string up to its NUL or its size.
 *
 * opts: -q
 */

struct s { char name[8]; };
struct s v;
BEGIN
{
	v.name[0] = 'h';
	v.name[1] = 'i';
	x = stringof(v.name);
	printf("%s\n", x);
	printf("%d\n", v.name == "hi");
	printf("%d\n", x == v.name);
	printf("%s\n", v.name);
	exit(0);
}
