/*
 * Options of other systems are accepted.
 *
 * opts: -q -x iregs=8 -x lockmem=8m -x nolibs -x printsize=100 -x scratchsize=1k -x temporal -x encoding=ascii -x bufpolicy=switch
 */

BEGIN
{
	printf("ok\n");
	exit(0);
}
