/*
 * print() of a pointer shows what it points to, as an initialiser without its zeros.
 *
 * target: types
 * opts: -q
 */

pid$target:a.out:find:entry
{
	print(&args[0]->points);
	print(&`table[1]);
	print(&`counter);
	exit(0);
}
