/*
 * A newline or a comment between the closing slash and the brace is allowed.
 *
 * opts: -q
 */

BEGIN / 1 /
/* here */

{
	printf("true\n");
	exit(0);
}
