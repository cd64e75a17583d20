/*
 * An associative array may be declared with its key types.
 *
 * opts: -q
 */

long a[int, string];
string names[pid_t];
self int t[char];
BEGIN
{
	a[1, "k"] = 1L << 40;
	names[pid] = "me";
	self->t['c'] = 4;
	printf("%d\n", a[1, "k"]);
	printf("%s\n", names[pid]);
	printf("%d\n", self->t['c']);
	printf("%d\n", self->t['d']);
	exit(0);
}
