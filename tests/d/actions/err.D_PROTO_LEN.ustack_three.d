/*
 * ustack() takes two arguments.
 *
 * line: 9
 */

BEGIN
{
	ustack(1, 2, 3);
}
