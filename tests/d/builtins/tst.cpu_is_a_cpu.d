/*
 * cpu is the number of a CPU.
 *
 * opts: -q
 */

BEGIN
{
	printf("%d\n", cpu >= 0 && cpu < 4096);
	printf("%d\n", sizeof(cpu));
	exit(0);
}
