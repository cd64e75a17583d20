/*
 * A value needs its conversion.
 *
 * message: printf( ) prototype mismatch: only 0 arguments required by this format string
 * line: 10
 */

BEGIN
{
	printf("x", 1);
}
