/*
 * system runs a command, in the order of the records.
 *
 * opts: -q -w
 */

BEGIN
{
	printf("before\n");
	system("echo hello %d", 6 * 7);
	printf("after\n");
	exit(0);
}
