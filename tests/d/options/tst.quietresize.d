/*
 * quietresize leaves the messages about lowered sizes out.
 *
 * opts: -q -x quietresize -x bufsize=512t
 */

BEGIN
{
	printf("runs\n");
	exit(0);
}
