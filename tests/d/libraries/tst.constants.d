/*
 * Numbers of errors, signals, registers, system calls have their names.
 *
 * opts: -q
 */

BEGIN
{
	printf("%d %d %d %d\n", EPERM, ENOENT, EAGAIN, EHWPOISON);
	printf("%d %d %d %d\n", SIGHUP, SIGKILL, SIGSYS, SIGRTMAX);
	printf("%d %d %d\n", R_RAX, R_RSP, R_PC);
	printf("%o %o %d %d\n", O_CREAT, S_IFDIR, SEEK_END, AT_FDCWD);
	printf("%d %d %d %x\n", AF_UNIX, AF_INET, AF_INET6, TH_ACK);
	printf("%d %d\n", DTRACEFLT_DIVZERO, DTRACEFLT_BADINDEX);
	exit(0);
}
