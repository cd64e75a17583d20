/*
 * A conversion has one point.
 *
 * message: format conversion #1 has more than one '.' specified
 * line: 10
 */

BEGIN
{
	printf("%5.3.2d", 1);
}
