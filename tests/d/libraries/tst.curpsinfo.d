/*
 * curpsinfo describes the process of the event.
 *
 * needs: user
 * opts: -q
 * target: t 1
 */

pid$target:t:main:entry
{
	printf("pid %d ppid %d sid %d pgid %d\n", curpsinfo->pr_pid == pid,
	    curpsinfo->pr_ppid == ppid, curpsinfo->pr_sid == $sid,
	    curpsinfo->pr_pgid == $pgid);
	printf("uid %d %d gid %d %d threads %d\n", curpsinfo->pr_uid == uid,
	    curpsinfo->pr_euid == $euid, curpsinfo->pr_gid == gid,
	    curpsinfo->pr_egid == $egid, curpsinfo->pr_nlwp);
	printf("%s, %s, %d arguments of %d bytes\n", curpsinfo->pr_fname,
	    basename(curpsinfo->pr_psargs), curpsinfo->pr_argc,
	    curpsinfo->pr_arglen >= 4);
	this->argv = (uintptr_t *)copyin(curpsinfo->pr_argv, 16);
	this->envp = (uintptr_t *)copyin(curpsinfo->pr_envp, 8);
	printf("%s %s\n", basename(copyinstr(this->argv[0])), copyinstr(this->argv[1]));
	printf("environment %d\n", index(copyinstr(this->envp[0]), "=") > 0);
	printf("model %d, 64 bits %d\n", curpsinfo->pr_dmodel, curpsinfo->pr_arch);
	this->start = curpsinfo->pr_start.tv_sec;
	printf("started %d\n", walltimestamp / 1000000000 - this->start < 60);
	exit(0);
}
