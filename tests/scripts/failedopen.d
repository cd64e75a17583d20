#!/usr/sbin/dtrace -s
/*
 * failedopen.d: all that a thread did in an open that failed, and nothing of those that did not.
 */
#pragma D option quiet
#pragma D option nspec=4
#pragma D option specsize=64k
#pragma D option cleanrate=50hz

syscall::openat:entry
/pid == $target/
{
	self->spec = speculation();
	speculate(self->spec);
	printf("open %s\n", copyinstr(arg1));
}

syscall::openat:return
/self->spec/
{
	speculate(self->spec);
	printf("errno %d\n", errno);
}

syscall::openat:return
/self->spec && errno == EISDIR/
{
	commit(self->spec);
	committed++;
}

syscall::openat:return
/self->spec && errno != EISDIR/
{
	discard(self->spec);
	discarded++;
}

syscall::openat:return
/self->spec/
{
	self->spec = 0;
}

dtrace:::END
{
	printf("committed %d\ndiscarded %s\n", committed, discarded > 7 ? "more than 7" : "too few");
}
