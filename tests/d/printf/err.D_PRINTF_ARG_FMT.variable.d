/*
 * The format is a string constant.
 *
 * line: 9
 */

BEGIN
{
	printf(execname);
}
