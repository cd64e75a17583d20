/*
 * What the kernel or another system would fill has a fixed value here.
 *
 * opts: -q
 */

BEGIN
{
	printf("%d\n", stackdepth);
	printf("%d\n", irql);
	printf("%d\n", jid);
	printf("[%s]\n", jailname);
	exit(0);
}
