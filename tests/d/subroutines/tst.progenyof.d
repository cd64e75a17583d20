/*
 * progenyof tells whether the current process is p or a descendant of p.
 *
 * opts: -q
 */

BEGIN
{
	printf("%d\n", progenyof($pid));
	printf("%d\n", progenyof($ppid));
	printf("%d\n", progenyof(1 << 30));
	exit(0);
}
