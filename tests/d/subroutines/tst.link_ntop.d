/*
 * Addresses of Ethernet have 6 bytes, those of InfiniBand 20.
 *
 * opts: -q
 */

BEGIN
{
	this->p = (uint8_t *)alloca(20);
	this->p[0] = 0xab;
	this->p[5] = 9;
	this->p[19] = 0x70;
	printf("%s\n%s\n", link_ntop(ARPHRD_ETHER, this->p), link_ntop(ARPHRD_INFINIBAND, this->p));
	printf("%d %d\n", ARPHRD_ETHER, ARPHRD_INFINIBAND);
}

BEGIN
{
	trace(link_ntop(2, alloca(20)));
}

BEGIN
{
	trace(link_ntop(1, NULL));
}

BEGIN
{
	exit(0);
}
