/*
 * htons and its relatives swap the bytes of 16, 32 and 64 bits.
 *
 * opts: -q
 */

BEGIN
{
	printf("%x\n", htons(0x1234));
	printf("%x\n", ntohs(0x1234));
	printf("%x\n", htonl(0x12345678));
	printf("%x\n", ntohl(0x12345678));
	printf("%x\n", htonll(0x123456789abcdef0));
	printf("%x\n", ntohll(0x123456789abcdef0));
	printf("%d\n", sizeof(htons(1)));
	exit(0);
}
