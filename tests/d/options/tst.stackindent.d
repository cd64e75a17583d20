/*
 * stackindent is the number of blanks in front of frames, also of keys; %-Nk sets its own.
 *
 * opts: -q -x stackindent=3
 * target: t 1 1 quiet
 */

pid$target:a.out:work:entry
{
	ustack(1);
	@[ustack(1)] = count();
}

END
{
	printa(@);
	printa("%k%@d\n", @);
	printa("%-5k%@d\n", @);
}
