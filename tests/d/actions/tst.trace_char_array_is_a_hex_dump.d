/*
 * So is a char array, in quiet mode too.
 *
 * opts: -q
 */

struct s { char n[4]; };
struct s v;
BEGIN
{
	v.n[0] = 'h';
	v.n[1] = 'i';
	trace(v.n);
	exit(0);
}
