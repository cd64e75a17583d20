#!/usr/bin/env -S dtrace -s
/*
 * soconnect.d: calls of connect(2): by whom, where to, what came of it (0 or the errno), how long the call took. A socket that
 * does not wait has 115, EINPROGRESS: tcpconn.d tells what comes later. Families other than IPv4, IPv6 and unix are told
 * by number.
 *
 *   soconnect.d [PROGRAM]            "": every program
 *   soconnect.d -c COMMAND [PROGRAM] the same, as long as the command runs
 */
#pragma D option quiet
#pragma D option defaultargs
#pragma D option switchrate=10hz

BEGIN
{
	printf("%-16s %7s %-6s %-39s %5s %6s %12s\n", "PROGRAM", "PID", "FAMILY", "ADDRESS", "PORT", "ERRNO", "MICROSECONDS");
}

syscall::connect:entry
/arg1 && arg2 >= 2 && ($$1 == "" || execname == $$1)/
{
	self->family = *(uint16_t *)copyin(arg1, 2);
	self->port = 0;
	self->address = lltostr((int64_t)self->family);
	self->began = timestamp;
}

syscall::connect:entry
/self->began && self->family == AF_INET && arg2 >= 16/
{
	this->sa = (uint8_t *)copyin(arg1, 8);
	self->port = ntohs(*(uint16_t *)(this->sa + 2));
	self->address = inet_ntop(AF_INET, this->sa + 4);
}

syscall::connect:entry
/self->began && self->family == AF_INET6 && arg2 >= 24/
{
	this->sa6 = (uint8_t *)copyin(arg1, 24);
	self->port = ntohs(*(uint16_t *)(this->sa6 + 2));
	self->address = inet_ntop(AF_INET6, this->sa6 + 8);
}

syscall::connect:entry
/self->began && self->family == AF_UNIX && arg2 > 3/
{
	this->path = (char *)copyin(arg1 + 2, 1);
	self->address = this->path[0] ? copyinstr(arg1 + 2, arg2 - 1) : strjoin("@", copyinstr(arg1 + 3, arg2 - 2));
}

syscall::connect:return
/self->began/
{
	printf("%-16s %7d %-6s %-39s %5d %6d %12d\n", execname, pid, self->family == AF_INET ? "inet" :
	    self->family == AF_INET6 ? "inet6" : self->family == AF_UNIX ? "unix" : "other", self->address, self->port, errno,
	    (timestamp - self->began) / 1000);
	self->began = 0;
	self->family = 0;
	self->port = 0;
	self->address = 0;
}
