/*
 * %s of a char array prints its text.
 *
 * opts: -q
 */

struct s { char n[8]; };
struct s v;
BEGIN
{
	v.n[0] = 'o';
	v.n[1] = 'k';
	printf("[%s]\n", v.n);
	exit(0);
}
