/*
 * Types of the target: struct tag, struct module`tag, names of typedefs, sizeof, offsetof.
 *
 * target: types
 * opts: -q
 */

pid$target:a.out:find:entry
{
	printf("%d %d\n", ((struct node *)arg0)->value, ((struct a.out`node *)arg0)->next->value);
	printf("%d %d\n", ((point_t *)&`first.points)->y, sizeof(point_t));
	printf("%d %d\n", sizeof(struct node), offsetof(struct node, color));
	printf("%d %x\n", (id32_t)arg2, `head->bytes[7]);
	exit(0);
}
