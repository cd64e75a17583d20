/*
 * args[] has the types of the parameters; pointers in it lead into the target.
 *
 * target: types
 * opts: -q
 */

pid$target:a.out:find:entry
{
	printf("%d %s %d %d\n", args[0]->value, copyinstr(args[1]), args[2], args[2] == BLUE);
	printf("%d %s %d\n", args[0]->next->value, copyinstr(args[0]->text), args[0]->points[1].x);
	printf("%d %d %d\n", args[0]->low, args[0]->high, args[0]->minus);
	self->p = args[0];
	self->p = self->p->next;
	printf("%d\n", self->p->value);
	exit(0);
}
