/*
 * With quiet and flowindent the header and the prefixes are printed, and no newline ends a record.
 *
 * opts: -qF
 * target: t 1 1 quiet
 */

pid$target:a.out:work:entry
{
	trace(5);
}

pid$target:a.out:work:return
{
	trace("x\n");
}
