/*
 * tracemem needs an address.
 *
 * line: 11
 * message: tracemem( ) argument #1 must be of pointer or integral type
 */

struct s { int a; } v;
BEGIN
{
	tracemem(v, 8);
}
