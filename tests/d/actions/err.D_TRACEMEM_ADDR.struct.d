/*
 * tracemem needs an address.
 *
 * line: 11
 * message: tracemem( ) argument #1 is incompatible with prototype:*prototype: pointer or integer*argument: struct s
 */

struct s { int a; } v;
BEGIN
{
	tracemem(v, 8);
}
