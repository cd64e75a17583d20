#!/usr/bin/env -S dtrace -s
/* dns.d: names that a program asks for, the first four addresses it gets, datagrams to name servers.  -c COMMAND */
#pragma D option quiet

/* struct addrinfo of netdb.h */
typedef struct found {
	int flags, family, kind, protocol;
	uint32_t length;
	uintptr_t address, name, next;
} found_t;

pid$target:libc.so.6:getaddrinfo:entry
{
	self->name = arg0 ? copyinstr(arg0) : "(none)";
	self->where = arg3;
	self->began = timestamp;
}

pid$target:libc.so.6:getaddrinfo:return
/self->began/
{
	printf("%-16s %-40s result %d after %d us\n", execname, self->name, (int)arg1, (timestamp - self->began) / 1000);
	self->at = arg1 ? 0 : *(uintptr_t *)copyin(self->where, sizeof(uintptr_t));
}

pid$target:libc.so.6:getaddrinfo:return
/self->at/
{
	this->found = (found_t *)copyin(self->at, sizeof(found_t));
	printf("%-16s %-40s   %s\n", execname, self->name, inet_ntop(this->found->family,
	    copyin(this->found->address + (this->found->family == AF_INET ? 4 : 8), this->found->family == AF_INET ? 4 : 16)));
	self->at = this->found->next;
}

pid$target:libc.so.6:getaddrinfo:return
/self->at/
{
	this->found = (found_t *)copyin(self->at, sizeof(found_t));
	printf("%-16s %-40s   %s\n", execname, self->name, inet_ntop(this->found->family,
	    copyin(this->found->address + (this->found->family == AF_INET ? 4 : 8), this->found->family == AF_INET ? 4 : 16)));
	self->at = this->found->next;
}

pid$target:libc.so.6:getaddrinfo:return
/self->at/
{
	this->found = (found_t *)copyin(self->at, sizeof(found_t));
	printf("%-16s %-40s   %s\n", execname, self->name, inet_ntop(this->found->family,
	    copyin(this->found->address + (this->found->family == AF_INET ? 4 : 8), this->found->family == AF_INET ? 4 : 16)));
	self->at = this->found->next;
}

pid$target:libc.so.6:getaddrinfo:return
/self->at/
{
	this->found = (found_t *)copyin(self->at, sizeof(found_t));
	printf("%-16s %-40s   %s\n", execname, self->name, inet_ntop(this->found->family,
	    copyin(this->found->address + (this->found->family == AF_INET ? 4 : 8), this->found->family == AF_INET ? 4 : 16)));
	self->at = this->found->next;
}

pid$target:libc.so.6:getaddrinfo:return
{
	self->name = 0;
	self->where = 0;
	self->began = 0;
	self->at = 0;
}

udp:::send
/pid == $target && args[4]->udp_dport == 53/
{
	@[args[2]->ip_daddr] = count();
}

END
{
	printa("%@d questions to %s\n", @);
}
