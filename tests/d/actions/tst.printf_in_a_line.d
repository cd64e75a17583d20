/*
 * printf prints in place between prefix and newline: a newline in its format gives an empty
 * line.
 */

BEGIN
{
	printf("x=%d\n", 5);
	exit(0);
}
