/*
 * bcopy writes to what was made by alloca() or copyin(), not to a variable: a string is a copy.
 *
 * line: 11
 */

BEGIN
{
	s = (string)alloca(10);

	bcopy(probename, s, 5);
}
