#!/usr/sbin/dtrace -Zs
/*
 * connects.d: connections of TCP, by the provider where there is one, and as they are asked for.
 */
#pragma D option quiet

tcp:::connect-established, tcp:::connect-refused
/pid == $target/
{
	@tcp[probename] = count();
}

syscall::connect:entry
/pid == $target/
{
	this->sa = (uint8_t *)copyin(arg1, 8);
	self->family = *(uint16_t *)this->sa;
	self->port = ntohs(*(uint16_t *)(this->sa + 2));
	self->addr = inet_ntoa((in_addr_t *)(this->sa + 4));
}

syscall::connect:return
/self->family == AF_INET/
{
	@[self->addr, self->port == $1 ? "port $1" : "other", errno == ECONNREFUSED ? "refused" : errno ? "failed" : "connected"] =
	    count();
	self->family = 0;
	self->addr = 0;
}

dtrace:::END
{
	printa("%s %s %s %@d\n", @);
}
