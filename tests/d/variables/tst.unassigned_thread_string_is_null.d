/*
 * A never-assigned self-> string or string element reads as NULL: it can be compared.
 *
 * opts: -q
 */

self string s;
string a[int];
BEGIN
{
	printf("%d\n", self->s == NULL);
	printf("%d\n", a[5] == NULL);
	printf("%d\n", self->s == "");
	exit(0);
}
