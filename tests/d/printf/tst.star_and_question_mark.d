/*
 * * takes width or precision from an int argument, ? is the width of a pointer.
 *
 * opts: -q
 */

BEGIN
{
	printf("[%*d]\n", 5, 42);
	printf("[%-*d]\n", 5, 42);
	printf("[%*d]\n", -5, 42);
	printf("[%.*s]\n", 2, "abc");
	printf("[%?x]\n", 255);
	exit(0);
}
