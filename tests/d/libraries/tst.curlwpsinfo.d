/*
 * curlwpsinfo describes the thread of the event: it is on a CPU.
 *
 * opts: -q
 * target: t 1
 */

pid$target:t:main:entry
{
	printf("%d %d %c %d %d\n", curlwpsinfo->pr_lwpid == tid,
	    curlwpsinfo->pr_state == SONPROC, curlwpsinfo->pr_sname,
	    curlwpsinfo->pr_onpro == cpu, curlwpsinfo->pr_flag);
	printf("%d\n", curlwpsinfo->pr_pri >= 0 && curlwpsinfo->pr_pri < 140);
	printf("bound %d %d\n", curlwpsinfo->pr_bindpro, curlwpsinfo->pr_bindpset);
	exit(0);
}
