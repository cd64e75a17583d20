/*
 * ustackid() is the user stack as a number, which can be kept and compared, and is the stack again as a key, in trace() and by %k.
 *
 * opts: -q -x ustackframes=3
 * target: t 100 1 quiet
 */
ustackid_t last;

pid$target:a.out:branchy:entry
{
	self->at = ustackid();
	seen[self->at]++;
}

pid$target:a.out:branchy:return
/self->at/
{
	@[self->at] = count();
	@same[self->at == last] = count();
	@none[(ustackid_t)0] = count();
	@wrong[(ustackid_t)123456] = count();
	@other[(stackid_t)self->at] = count();
	last = self->at;
}

pid$target:a.out:branchy:return
/seen[self->at] == 100/
{
	printf("%d%k", self->at, self->at);
	trace(last);
}

END
{
	printa(@same);
	printa("none:%k%@d\n", @none);
	printa("wrong:%k%@d\n", @wrong);
	printa("other:%k%@d\n", @other);
}
