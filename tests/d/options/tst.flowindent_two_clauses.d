/*
 * With -F the second clause of an entry prints as another probe, each clause of a return as a return.
 *
 * opts: -F
 * target: t 1 1 quiet
 */

pid$target:a.out:main:entry,
pid$target:a.out:main:return,
pid$target:a.out:work:entry
{
	trace(0);
}

pid$target:a.out:work:entry
{
	trace(5);
}

pid$target:a.out:work:return
{
	trace(0);
}

pid$target:a.out:work:return
{
	trace(4);
}
