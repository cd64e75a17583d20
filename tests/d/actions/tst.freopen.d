/*
 * freopen sends the output elsewhere, freopen("") back.
 *
 * opts: -q -w
 */

BEGIN
{
	printf("one\n");
	freopen("/dev/null");
	printf("two\n");
	freopen("");
	printf("three\n");
	exit(0);
}
