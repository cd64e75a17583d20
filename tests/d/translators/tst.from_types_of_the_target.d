/*
 * The input may be a type of the traced program; what it points to is read there.
 *
 * opts: -q
 * target: types
 */

typedef struct info {
	int value;
	string name;
	string text;
	int next;
	int low, minus;
	point_t point;
	struct node *link;
} info_t;

translator info_t < struct node *n > {
	value = n->value;
	name = stringof(n->name);
	text = n->text == NULL ? "none" : stringof(n->text);
	next = n->next == NULL ? -1 : n->next->value;
	low = n->low;
	minus = n->minus;
	point = n->points[1];
	link = n->next;
};

pid$target:a.out:find:entry
{
	printf("%d %s %s %d %d %d\n", xlate <info_t *>(args[0])->value,
	    xlate <info_t *>(args[0])->name, xlate <info_t *>(args[0])->text,
	    xlate <info_t *>(args[0])->next, xlate <info_t>(args[0]).low,
	    xlate <info_t>(args[0]).minus);
	printf("%s\n", xlate <info_t>(xlate <info_t>(args[0]).link).name);
	i = xlate <info_t>(args[0]);
	printf("%d %s %d %d %d\n", i.value, i.name, i.point.x, i.point.y, i.link->value);
	exit(0);
}
