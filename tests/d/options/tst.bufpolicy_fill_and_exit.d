/*
 * exit() ends a run whose buffer is not full, and its status is the command's.
 *
 * opts: -q -x bufpolicy=fill
 * status: 3
 */

BEGIN
{
	printf("a\n");
	exit(3);
}

END
{
	printf("end\n");
}
