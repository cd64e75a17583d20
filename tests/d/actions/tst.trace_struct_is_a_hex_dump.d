/*
 * A struct is dumped in hex, with the column header.
 */

struct s { int a; char b[4]; };
struct s v;
BEGIN
{
	v.a = 0x41424344;
	v.b[0] = 'h';
	v.b[1] = 'i';
	trace(v);
	exit(0);
}
