/*
 * copyinto copies target memory into scratch.
 *
 * opts: -q
 * target: t 1 1 quiet
 * needs: user
 */

pid$target:a.out:main:entry
{
	this->p = (char *)alloca(8);
	copyinto(*(uintptr_t *)copyin(arg1, 8), 4, this->p);
	this->p[4] = 0;
	printf("%d\n", this->p[0] != 0);
	exit(0);
}
