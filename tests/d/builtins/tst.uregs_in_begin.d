/*
 * In BEGIN no thread of a program has registers: they are 0, and no fault.
 *
 * opts: -q
 */

BEGIN
{
	trace(uregs[R_RIP]);
	trace(uregs[R_R15]);
	trace(uregs[R_EAX]);
	exit(0);
}
