/*
 * A copy of curpsinfo's structure keeps its members.
 *
 * opts: -q
 */

BEGIN
{
	p = xlate <psinfo_t>(curthread);
	l = xlate <lwpsinfo_t>(curthread);
	printf("%d %s %d %d %d\n", p.pr_pid == pid, p.pr_fname, p.pr_nlwp >= 1,
	    p.pr_start.tv_sec == curpsinfo->pr_start.tv_sec, l.pr_lwpid == tid);
	exit(0);
}
