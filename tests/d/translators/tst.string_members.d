/*
 * A member of type string may be made of characters at an address.
 *
 * opts: -q
 */

struct o { string s; size_t n; };
translator struct o < char *p > { s = p; n = strlen(p); };

BEGIN
{
	this->p = (char *)alloca(8);
	this->p[0] = 'h';
	this->p[1] = 'i';
	printf("%s %d\n", xlate <struct o>(this->p).s, xlate <struct o>(this->p).n);
	v = xlate <struct o>(this->p);
	printf("%s %d\n", v.s, v.n);
	exit(0);
}
