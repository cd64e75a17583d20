/* address.h: where -x metrics= says that a server is to listen. */
#ifndef COMMAND_SERVE_ADDRESS_H
#define COMMAND_SERVE_ADDRESS_H

#include <sys/socket.h>
#include <sys/un.h>

#include "base/base.h"
#include "base/err.h"

struct address {
	union {
		struct sockaddr any;
		struct sockaddr_un un;
		struct sockaddr_storage room;
	};
	socklen_t n;
	char host[72]; /* its own name as it stands in Host:, with the brackets of IPv6; "": a file
			*/
	bool is_loopback; /* or a file */
	bool is_wildcard; /* all addresses of the machine */
};

/* [ADDR:]PORT, [IPv6]:PORT, unix:PATH. 0, or -EINVAL with the sentence. No name is looked up. */
int address_parse(const char *text, struct address *, struct err *);
/* A socket that listens there, for this user alone if it is a file. A negative errno with the
 * sentence. */
int address_listen(const struct address *, const char *text, struct err *);

#endif
