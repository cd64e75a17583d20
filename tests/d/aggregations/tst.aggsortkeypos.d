/*
 * aggsortkeypos compares that key first, wrapping around.
 *
 * opts: -q -x aggsortkey -x aggsortkeypos=1
 */

BEGIN
{
	@["a", 3] = count();
	@["b", 1] = count();
	@["c", 2] = count();
	exit(0);
}
