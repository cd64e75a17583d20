/*
 * inet_ntoa, inet_ntoa6 and inet_ntop write addresses: the longest run of zero words as `::`, IPv4
 * within IPv6 as a dotted quad.
 *
 * opts: -q
 */

uint8_t *p;
BEGIN
{
	p = alloca(16);
	p[0] = 192; p[1] = 168; p[2] = 0; p[3] = 1;
	printf("%s %s\n", inet_ntoa((in_addr_t *)p), inet_ntop(AF_INET, p));
	p[0] = 0; p[1] = 0; p[3] = 0;
	printf("%s %s\n", inet_ntoa6((in6_addr_t *)p), inet_ntop(AF_INET6, p));
	p[15] = 1;
	printf("%s %s\n", inet_ntoa6((in6_addr_t *)p), inet_ntop(AF_INET6, p));
	p[12] = 1; p[13] = 2; p[14] = 3; p[15] = 4;
	printf("%s %s\n", inet_ntoa6((in6_addr_t *)p), inet_ntop(AF_INET6, p));
	p[10] = 255; p[11] = 255;
	printf("%s %s\n", inet_ntoa6((in6_addr_t *)p), inet_ntop(AF_INET6, p));
}

BEGIN
{
	p = alloca(16);
	p[0] = 0x20; p[1] = 0x01; p[4] = 1; p[9] = 1; p[15] = 0xab;
	printf("%s %s\n", inet_ntoa6((in6_addr_t *)p), inet_ntop(AF_INET6, p));
	p[9] = 0; p[15] = 0;
	printf("%s %s\n", inet_ntoa6((in6_addr_t *)p), inet_ntop(AF_INET6, p));
	p[3] = 0x7f; p[7] = 5; p[9] = 6; p[11] = 7; p[13] = 8; p[14] = 0xab; p[15] = 0xcd;
	printf("%s %s\n", inet_ntoa6((in6_addr_t *)p), inet_ntop(AF_INET6, p));
	exit(0);
}
