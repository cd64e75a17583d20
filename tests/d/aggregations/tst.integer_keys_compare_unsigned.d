/*
 * Integer keys compare as unsigned numbers whatever their type.
 *
 * opts: -q
 */

BEGIN
{
	@[-1] = count();
	@[0] = count();
	@[1] = count();
	exit(0);
}
