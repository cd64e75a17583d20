/*
 * In BEGIN the process is the tracer: pid is $pid, tid its thread, execname its name.
 *
 * opts: -q
 */

BEGIN
{
	printf("%d\n", pid == $pid);
	printf("%d\n", ppid == $ppid);
	printf("%d\n", uid == $uid);
	printf("%d\n", gid == $gid);
	printf("%s\n", execname);
	exit(0);
}
