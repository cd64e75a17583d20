/*
 * sym, func and mod print kernel addresses; what has no name prints in hex.
 */

BEGIN
{
	sym(0x10);
	func(0x10);
	mod(0x10);
	exit(0);
}
