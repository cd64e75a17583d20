#!/usr/sbin/dtrace -s
/*
 * exclusive.d: time in functions with and without what they call.
 */
#pragma D option quiet

pid$target:a.out:work:entry, pid$target:a.out:branchy:entry, pid$target:a.out:hidden:entry
{
	self->depth++;
	self->start[self->depth] = timestamp;
	self->below[self->depth] = 0;
}

pid$target:a.out:work:return, pid$target:a.out:branchy:return, pid$target:a.out:hidden:return
/self->depth/
{
	this->all = timestamp - self->start[self->depth];
	this->own = this->all - self->below[self->depth];
	@calls["calls", probefunc] = count();
	@incl["incl", probefunc] = sum(this->all);
	@excl["excl", probefunc] = sum(this->own);
	@total["total"] = sum(this->own);
	self->start[self->depth] = 0;
	self->below[self->depth] = 0;
	self->depth--;
	self->below[self->depth] += this->all;
}
