/*
 * External symbols: `sym, module`sym, elements, members, addresses, sizes.
 *
 * target: types
 * opts: -q
 */

pid$target:a.out:nothing:entry
{
	printf("%d %d %d\n", `counter, a.out`counter, types`file_static);
	printf("%d %d %d\n", `table[2].a, `head->next->value, `first.points[1].y);
	printf("%d %d %d\n", &`counter == &a.out`counter, sizeof(`table), sizeof(`first.name));
	printf("%s %d\n", stringof(`text), `head->call == &`twice);
	exit(0);
}
