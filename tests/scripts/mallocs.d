#!/usr/sbin/dtrace -s
/*
 * mallocs.d: sizes that a program asks malloc for, and what it gives back.
 */
#pragma D option quiet
#pragma D option ustackframes=3

pid$target:libc*:malloc:entry
{
	self->size = arg0;
}

pid$target:libc*:malloc:return
/self->size/
{
	@size["sizes"] = quantize(self->size);
	@bytes["bytes"] = sum(self->size);
	@who[ustack()] = count();
	live[arg1] = self->size;
	self->size = 0;
}

pid$target:libc*:free:entry
/live[arg0]/
{
	@freed["freed"] = sum(live[arg0]);
	live[arg0] = 0;
}
