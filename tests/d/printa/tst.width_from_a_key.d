/*
 * A * in a width or precision takes the next key, as printf takes the next argument.
 *
 * opts: -q
 */

BEGIN
{
	@[8, 5, "x"] = count();
	@[3, 77, "y"] = count();
	printa("[%*d] %s %@d\n", @);
	@b[-5, 4, 6, 2, "abcdef"] = sum(3);
	printa("[%*d][%*.*s]\n", @b) ;
}

BEGIN
{
	@c[7] = sum(3);
	printa("[%*@d]\n", @c);
	exit(0);
}
