/*
 * -32: long and pointers that the program declares have 4 bytes; what a pointer variable holds stays
 * whole, and types of registers keep 64 bits.
 *
 * opts: -32 -q
 */

struct s {
	char c;
	long l;
	void *p;
	int64_t q;
};
struct s v;
long gl;
unsigned long ul;

BEGIN
{
	printf("%d %d %d %d %d\n", sizeof (long), sizeof (unsigned long), sizeof (void *), sizeof (size_t), sizeof (uintptr_t));
	printf("%d %d %d %d\n", sizeof (long long), sizeof (int64_t), sizeof (uint64_t), sizeof (string));
	printf("%d %d %d\n", sizeof (struct s), offsetof(struct s, p), offsetof(struct s, q));
	printf("%d %d %d %d\n", sizeof (1L), sizeof (4294967295), sizeof (4294967296), sizeof (0xffffffff));

	gl = 0x123456789LL;
	ul = -1;
	v.l = 0x1ffffffffLL;
	printf("%x %u %d\n", gl, ul, v.l);
	this->p = (int *)alloca(16);
	this->p[2] = 7;
	printf("%d\n", *(this->p + 2));
	printf("%s %d\n", curpsinfo->pr_fname, curpsinfo->pr_pid == pid);
	printf("%d\n", timestamp > 4294967296);
	exit(0);
}
