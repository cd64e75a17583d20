/*
 * %A names an address of the traced process, %a knows only the kernel's.
 *
 * opts: -q
 * target: t 1
 */

pid$target:a.out:work:entry
{
	printf("[%A][%24A][%-8A]\n", uregs[R_RIP], ucaller, (int *)16);
	self->in = 1;
}

pid$target:a.out:work:entry
/self->in/
{
	@[usym(uregs[R_RIP])] = count();
	printa("%A|%@d\n", @);
	exit(0);
}
