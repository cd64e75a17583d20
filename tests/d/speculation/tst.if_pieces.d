/*
 * speculate() holds for its own clause only: with `if`, for its own piece.
 *
 * opts: -q
 */

BEGIN
{
	self->s = speculation();
	if (self->s) {
		speculate(self->s);
		printf("inside\n");
	}
	printf("outside\n");
	if (1) {
		commit(self->s);
	}
	printf("end\n");
	exit(0);
}
