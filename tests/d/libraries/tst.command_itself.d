/*
 * Without a process curpsinfo is that of the command.
 *
 * opts: -q
 */

BEGIN
{
	printf("%d %s %s\n", curpsinfo->pr_pid == $pid, curpsinfo->pr_fname,
	    execname == curpsinfo->pr_fname ? "as execname" : "");
	exit(0);
}
