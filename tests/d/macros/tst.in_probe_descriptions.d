/*
 * A macro is expanded in a field of a description, after the text before it; $$ is the same as
 * $.
 *
 * opts: -q
 * args: GIN dtrace
 */

BE$1
{
	printf("one\n");
}
$2:::BE$$1
{
	printf("two\n");
	exit(0);
}
