/*
 * A width has one star.
 *
 * message: format conversion #1 has more than one '*' specified for the output width
 * line: 10
 */

BEGIN
{
	printf("%**d", 1, 2, 3);
}
