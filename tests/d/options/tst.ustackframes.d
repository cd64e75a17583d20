/*
 * ustackframes is the default number of frames of ustack(), stackframes of stack(),
 * jstackframes and jstackstrsize of jstack().
 *
 * opts: -q -x ustackframes=2 -x stackframes=3 -x jstackframes=1 -x jstackstrsize=128
 * target: t 1 1 quiet
 * needs: user
 */

pid$target:a.out:leaf:entry
/!n++/
{
	ustack();
	jstack();
	exit(0);
}
