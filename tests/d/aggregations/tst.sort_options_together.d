/*
 * aggsortkey, aggsortrev and aggsortkeypos add up.
 *
 * opts: -q -x aggsortkey -x aggsortrev -x aggsortkeypos=1
 */

BEGIN
{
	@[1, "b"] = sum(1);
	@[2, "a"] = sum(2);
	@[3, "b"] = sum(3);
	@[0, "a"] = sum(4);
	exit(0);
}
