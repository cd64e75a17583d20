/*
 * Items after a stack start at the beginning of a line.
 *
 * target: t 1 1 quiet
 * needs: user
 */

pid$target:a.out:leaf:entry
/!n++/
{
	ustack(1);
	usym(ucaller);
	exit(0);
}
