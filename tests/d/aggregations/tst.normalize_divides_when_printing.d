/*
 * normalize divides what is printed, denormalize takes it back; it truncates toward zero.
 *
 * opts: -q
 */

BEGIN
{
	@a = sum(100);
	@b = sum(-20);
	@c = sum(70);
	normalize(@a, 10);
	normalize(@b, 7);
	normalize(@c, 10);
	denormalize(@c);
	exit(0);
}
