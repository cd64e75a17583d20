/*
 * A function:name longer than its column is printed in full.
 *
 * opts: -x strsize=64
 * target: t 1 1 quiet
 * needs: user
 */

pid$target:a.out:leaf:entry
/!n++/
{
	trace(arg0);
	exit(0);
}
