/*
 * A rate is an interval or a frequency; without a suffix it is in nanoseconds.
 *
 * opts: -q -x switchrate=10hz -x aggrate=500ms -x statusrate=1sec
 */

BEGIN
{
	printf("ok\n");
	exit(0);
}
