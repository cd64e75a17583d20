/*
 * Addresses in one function, or module, are one key as ufunc(), usym() or umod(); uaddr() keeps them.
 *
 * opts: -q
 * target: t 1 1 quiet
 * needs: user
 */

pid$target:a.out:six:
/probename != "return" && probename != "entry" && n < 4/
{
	n++;
	@f[ufunc(uregs[R_RIP])] = count();
	@m[umod(uregs[R_RIP])] = count();
	@a[uaddr(uregs[R_RIP])] = count();
	@b[ufunc(uregs[R_RIP]), (char)1] = count();
}

END
{
	printa("%A %@d\n", @f);
	printa("%A %@d\n", @m);
	printa("row %@d\n", @a);
	printa("%A %d %@d\n", @b);
}
