/*
 * BEGIN, END and ticks where nobody is traced read the memory of the command, as curpsinfo tells of
 * it; it is not written to.
 *
 * opts: -q -w
 */

BEGIN
{
	this->argv = *(uint64_t *)copyin(curpsinfo->pr_argv, 8);
	printf("%d %s %s\n", this->argv > 4096, basename(copyinstr(this->argv)), basename(stringof(*(char **)curpsinfo->pr_argv)));
	printf("%s\n", copyinstr(*(uint64_t *)copyin(curpsinfo->pr_argv + 8, 8)));
	printf("%d\n", *(uint64_t *)copyin(curpsinfo->pr_argv + 8 * curpsinfo->pr_argc, 8));
}

tick-1ms
/n++ < 1/
{
	printf("%d\n", strlen(copyinstr(*(uint64_t *)copyin(curpsinfo->pr_envp, 8))) > 0);
}

tick-1ms
/n == 2/
{
	copyout(alloca(4), curpsinfo->pr_argv, 4);
}

ERROR
{
	printf("%d\n", arg4);
	exit(0);
}

END
{
	printf("%s\n", basename(copyinstr(*(uint64_t *)copyin(curpsinfo->pr_argv, 8))));
}
