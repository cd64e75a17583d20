/*
 * trunc with n > 0 keeps the n highest, n < 0 the lowest, 0 none.
 *
 * opts: -q
 */

BEGIN
{
	@a["a"] = sum(1); @a["b"] = sum(2); @a["c"] = sum(3);
	@b["a"] = sum(1); @b["b"] = sum(2); @b["c"] = sum(3);
	@c["a"] = sum(1);
	@d["a"] = sum(1);
	trunc(@a, 2);
	trunc(@b, -2);
	trunc(@c, 0);
	trunc(@d);
	exit(0);
}
