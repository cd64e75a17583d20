/*
 * $pid, $uid and their like describe the tracer itself; $target is 0 without a target.
 *
 * opts: -q
 */

BEGIN
{
	printf("%d\n", $pid == pid);
	printf("%d\n", $ppid == ppid);
	printf("%d\n", $uid == uid);
	printf("%d\n", $gid == gid);
	printf("%d\n", $euid == uid);
	printf("%d\n", $egid == gid);
	printf("%d\n", $projid);
	printf("%d\n", $taskid);
	printf("%d\n", $target);
	printf("%d\n", $pgid > 0);
	printf("%d\n", $sid > 0);
	exit(0);
}
