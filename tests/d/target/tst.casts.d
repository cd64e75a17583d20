/*
 * A cast to a type of the target may stand in front of any operand; a difference stays one.
 *
 * target: types
 * opts: -q
 */

pid$target:a.out:find:entry
{
	id32_t_is = (id32_t)-1;
	printf("%u %u %d\n", id32_t_is, (a.out`id32_t)-2, (id32_t)~0 == (id32_t)-1);
	printf("%d %d\n", (id32_t_is)-1, (`counter)-2);
	printf("%d %d\n", (id32_t)(1 + 2), (id32_t)'a');
	printf("%d\n", ((a.out`point_t *)&`first.points)->y);
	exit(0);
}
