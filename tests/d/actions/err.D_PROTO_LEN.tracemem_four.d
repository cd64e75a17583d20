/*
 * tracemem has at most three arguments.
 *
 * line: 9
 */

BEGIN
{
	tracemem(1, 8, 2, 3);
}
