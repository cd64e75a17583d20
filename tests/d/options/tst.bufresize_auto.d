/*
 * Sizes that cannot be had are lowered, with a message.
 *
 * opts: -q -x bufsize=512t -x aggsize=512t -x specsize=512t -x dynvarsize=512t
 */

BEGIN
{
	printf("runs\n");
	exit(0);
}
