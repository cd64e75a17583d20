#!/usr/sbin/dtrace -s
/*
 * callkill.d: kill(2) as it is called: sender, target, signal, result.
 */
#pragma D option quiet

dtrace:::BEGIN
{
	n = 0;
}

syscall::kill:entry
{
	self->to = (pid_t)arg0;
	self->sig = arg1;
	self->in = 1;
}

syscall::kill:return
/self->in && pid == $target/
{
	printf("%-8s %6d %6d %3d %d\n", execname, pid, self->to, self->sig, (int)arg1);
	n += self->sig == SIGUSR1;
}

syscall::kill:return
{
	self->in = 0;
}

dtrace:::END
{
	printf("SIGUSR1 %d\n", n);
}
