/*
 * Events without a process read the memory of $target.
 *
 * target: types
 * opts: -q
 */

BEGIN
{
	printf("%d %s\n", `counter, copyinstr((uintptr_t)`head->text));
	exit(0);
}
