/*
 * The value of u + u is 400 in a comparison, though it traces as 144.
 *
 * opts: -q
 */

unsigned char u;
BEGIN
{
	u = 200;
	printf("%d\n", u + u);
	printf("%d\n", u + u > 256);
	printf("%d\n", (unsigned char)200 + (unsigned char)200 > 256);
	exit(0);
}
