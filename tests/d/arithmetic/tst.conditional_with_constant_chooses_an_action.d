/*
 * With a constant condition the chosen side stands alone, and may be an action.
 *
 * opts: -q
 */

BEGIN
{
	1 ? printf("a\n") : printf("b\n");
	exit(0);
}
