/*
 * print() of values of the target: structures are copied from its memory.
 *
 * target: types
 * opts: -q
 */

pid$target:a.out:find:entry
{
	print(*((struct node *)arg0)->next);
	printf("\n");
	print(args[0]->points);
	print(args[0]->low);
	print(args[0]->name);
	print(args[0]->real);
	print(args[0]->call);
	print(args[0]->tag);
	print(args[2]);
	print(`text);
	print(`table[0].a);
	exit(0);
}
