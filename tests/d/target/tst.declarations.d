/*
 * Variables and types of a script are declared with types of the target, bare and of a module.
 *
 * target: types
 * opts: -q
 */

point_t point;
a.out`id32_t number;
userland struct node *list;
struct pair pairs[int];
point_t*by_name[string];
self id32_t of_thread;
this userland struct a.out`node *next;
typedef point_t spot_t;
struct both {
	spot_t a;
	id32_t b;
};
inline int place = offsetof(struct node, points);

pid$target:a.out:find:entry
{
	list = args[0];
	this->next = list->next;
	number = -1;
	self->of_thread = (id32_t)this->next->value;
	by_name["first"] = (point_t *)&`first.points;
	pairs[1] = `table[1];
	point = `first.points[1];
	printf("%d %d %u %d\n", list->value, self->of_thread, number, by_name["first"]->y);
	printf("%d %d %d %d\n", pairs[1].b, point.x, sizeof(struct both), place);
	exit(0);
}
