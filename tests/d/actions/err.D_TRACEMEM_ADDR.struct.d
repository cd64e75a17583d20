/*
 * tracemem needs an address.
 *
 * line: 10
 */

struct s { int a; } v;
BEGIN
{
	tracemem(v, 8);
}
