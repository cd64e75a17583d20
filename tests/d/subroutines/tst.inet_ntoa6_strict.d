/*
 * An address that is compatible with IPv4 is its quad, unless strict; a mapped one always.
 *
 * opts: -q
 */

BEGIN
{
	this->p = (uint8_t *)alloca(16);
	this->a = (in6_addr_t *)this->p;
	this->p[12] = 127;
	this->p[15] = 1;
	printf("%s %s %s\n", inet_ntoa6(this->a), inet_ntoa6(this->a, 0), inet_ntoa6(this->a, 1));
	this->p[10] = 255;
	this->p[11] = 255;
	printf("%s %s\n", inet_ntoa6(this->a), inet_ntoa6(this->a, -1));
	this->p[0] = 254;
	printf("%s %s\n", inet_ntoa6(this->a), inet_ntoa6(this->a, 1));
	exit(0);
}
