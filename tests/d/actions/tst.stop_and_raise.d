/*
 * raise sends a signal to the process that fired the probe.
 *
 * opts: -q -w
 * target: t 100000
 * needs: user
 */

pid$target:a.out:leaf:entry
/n++ == 10/
{
	printf("raised\n");
	raise(15);
}
