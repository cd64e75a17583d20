/*
 * Sizes that cannot be had are lowered, with a message.
 *
 * opts: -q -x bufsize=512t -x aggsize=512t -x specsize=512t -x dynvarsize=512t -x scratchsize=512t
 */

BEGIN
{
	self->x = 1;
	printf("runs\n");
	exit(0);
}
