/*
 * nettraffic.c: traffic of the loopback, counted: nettraffic WHAT FAMILY N BYTES... The server is a
 * child, called netserver. Prints what each side did, a "NAME N" line each.
 *
 * Of several, one is done after the other, by a child each, which is called WHAT and FAMILY (tcp4);
 * its server is called tcp4-s, children of that tcp4-w, and the lines begin with tcp4.
 *
 * tcp      N connections; BYTES go to the server, one byte comes back
 * udp      N datagrams of BYTES
 * refused  N connections to a port that nobody has
 * reset    N connections, BYTES to the server, ended by a reset
 * half     N connections that the client ends for writing; BYTES come back after that
 * inherited N connections, which children of the server read, called networker
 * udprefused N datagrams to a port that nobody has
 * lost     N connections; after the first byte the peer's link address is one that nobody has (the
 * command LOSE), until BYTES have been sent again twice (then FIND is run)
 * sacked   N connections; BYTES are sent with a mark (7) that leads nowhere, as many after it,
 * which come first
 *
 * In the environment: ADDRESS instead of the loopback's; SERVER_NS, CLIENT_NS: files of network
 * namespaces; AFTERWARDS: what it is called when all of it has been done.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

static int family, n;
static size_t bytes;
static char data[1 << 20];
static char server_name[16] = "netserver", worker_name[16] = "networker", prefix[17];

struct address {
	struct sockaddr_storage to;
	socklen_t len;
};

static void check(int ok, const char *what)
{
	if (ok)
		return;
	perror(what);
	exit(1);
}

static void say(const char *name, size_t number)
{
	printf("%s%s %zu\n", prefix, name, number);
	fflush(stdout);
}

/* Sockets that are made from here on are in that namespace. */
static void enter(const char *variable)
{
	const char *path = getenv(variable);
	int ns;

	if (!path)
		return;
	ns = open(path, O_RDONLY | O_CLOEXEC);
	check(ns >= 0 && setns(ns, CLONE_NEWNET) == 0, path);
	close(ns);
}

static int make(int type, struct address *a, int is_bound)
{
	struct sockaddr_in *v4 = (void *)&a->to;
	struct sockaddr_in6 *v6 = (void *)&a->to;
	int s = socket(family, type, 0);

	check(s >= 0, "socket");
	memset(a, 0, sizeof(*a));
	a->to.ss_family = (sa_family_t)family;
	a->len = family == AF_INET ? sizeof(*v4) : sizeof(*v6);
	check(inet_pton(family,
			getenv("ADDRESS")   ? getenv("ADDRESS")
			: family == AF_INET ? "127.0.0.1"
					    : "::1",
			family == AF_INET ? (void *)&v4->sin_addr : (void *)&v6->sin6_addr) == 1,
	      "ADDRESS");
	if (is_bound) {
		check(bind(s, (void *)&a->to, a->len) == 0, "bind");
		check(getsockname(s, (void *)&a->to, &a->len) == 0, "getsockname");
	}
	return s;
}

static int port_of(const struct address *a)
{
	return ntohs(family == AF_INET
			     ? ((const struct sockaddr_in *)(const void *)&a->to)->sin_port
			     : ((const struct sockaddr_in6 *)(const void *)&a->to)->sin6_port);
}

static void say_client(const struct address *a)
{
	say("port", (size_t)port_of(a));
	say("client", (size_t)getpid());
}

static size_t read_all(int s, size_t want)
{
	size_t got = 0;
	ssize_t k;

	while (got < want &&
	       (k = read(s, data, sizeof(data) < want - got ? sizeof(data) : want - got)) > 0)
		got += (size_t)k;
	return got;
}

static void write_all(int s, size_t want)
{
	size_t sent = 0;
	ssize_t k;

	while (sent < want) {
		k = write(s, data, sizeof(data) < want - sent ? sizeof(data) : want - sent);
		check(k > 0, "write");
		sent += (size_t)k;
	}
}

/* The child: its own process, its own name. */
static pid_t serve(int listener, const char *what)
{
	pid_t pid = fork();
	size_t got = 0, resets = 0;

	check(pid >= 0, "fork");
	if (pid)
		return pid;
	prctl(PR_SET_NAME, server_name);
	check(listen(listener, 128) == 0, "listen");
	for (int i = 0; i < n; i++) {
		int s = accept(listener, NULL, NULL);

		check(s >= 0, "accept");
		if (strcmp(what, "half") == 0) {
			got += read_all(s, SIZE_MAX);
			write_all(s, bytes);
		} else if (strcmp(what, "reset") == 0) {
			got += read_all(s, bytes);
			resets += read(s, data, 1) < 0 && errno == ECONNRESET;
		} else {
			int is_lost = strcmp(what, "lost") == 0,
			    is_sacked = strcmp(what, "sacked") == 0;

			if (is_lost || is_sacked) {
				got += read_all(s, 1);
				write_all(s, 1);
			}
			got += read_all(s, is_sacked ? 2 * bytes : bytes - (size_t)is_lost);
			write_all(s, 1);
		}
		close(s);
	}
	say("accepted", (size_t)n);
	say("server_got", got);
	say("resets", resets);
	say("server", (size_t)getpid());
	_exit(0);
}

static void wait_for_listener(const struct address *a)
{
	char line[256];
	int there = 0;

	while (!there) {
		FILE *f = fopen(family == AF_INET ? "/proc/net/tcp" : "/proc/net/tcp6", "r");
		char want[16];

		check(f != NULL, "/proc/net/tcp");
		snprintf(want, sizeof(want), ":%04X ", (unsigned)port_of(a));
		while (fgets(line, sizeof(line), f))
			there |= strstr(line, want) != NULL && strstr(line, " 0A ") != NULL;
		fclose(f);
	}
}

/* Sends what is lost until it has been sent again, twice; returns how often it was in all. */
static unsigned lose(int s)
{
	struct tcp_info info = {0};
	socklen_t len = sizeof(info);

	write_all(s, 1);
	check(read_all(s, 1) == 1, "read");
	check(system(getenv("LOSE")) == 0, "LOSE");
	write_all(s, bytes - 1);
	while (info.tcpi_total_retrans < 2)
		check(getsockopt(s, IPPROTO_TCP, TCP_INFO, &info, &len) == 0, "TCP_INFO");
	check(system(getenv("FIND")) == 0, "FIND");
	read_all(s, 1);
	check(getsockopt(s, IPPROTO_TCP, TCP_INFO, &info, &len) == 0, "TCP_INFO");
	return info.tcpi_total_retrans;
}

/* What is lost and what comes in its place; returns how often it was sent again. */
static unsigned leave_hole(int s)
{
	const int nowhere = 7, there = 0, now = 1;
	struct tcp_info info = {0};
	socklen_t len = sizeof(info);

	setsockopt(s, IPPROTO_TCP, TCP_NODELAY, &now, sizeof(now));
	write_all(s, 1);
	check(read_all(s, 1) == 1, "read");
	check(setsockopt(s, SOL_SOCKET, SO_MARK, &nowhere, sizeof(nowhere)) == 0, "SO_MARK");
	write_all(s, bytes);
	check(setsockopt(s, SOL_SOCKET, SO_MARK, &there, sizeof(there)) == 0, "SO_MARK");
	write_all(s, bytes);
	read_all(s, 1);
	check(getsockopt(s, IPPROTO_TCP, TCP_INFO, &info, &len) == 0, "TCP_INFO");
	return info.tcpi_total_retrans;
}

static void connections(const char *what)
{
	const struct linger hard = {1, 0};
	struct address a;
	int listener, status;
	unsigned again = 0;
	pid_t server;
	size_t got = 0;

	enter("SERVER_NS");
	listener = make(SOCK_STREAM, &a, 1);
	server = serve(listener, what);
	close(listener);
	wait_for_listener(&a);
	enter("CLIENT_NS");
	for (int i = 0; i < n; i++) {
		struct address mine;
		int s = make(SOCK_STREAM, &mine, 0);

		check(connect(s, (void *)&a.to, a.len) == 0, "connect");
		if (strcmp(what, "lost") == 0) {
			again += lose(s);
		} else if (strcmp(what, "sacked") == 0) {
			again += leave_hole(s);
		} else if (strcmp(what, "half") == 0) {
			shutdown(s, SHUT_WR);
			got += read_all(s, SIZE_MAX);
		} else {
			write_all(s, bytes);
			if (strcmp(what, "reset") == 0)
				setsockopt(s, SOL_SOCKET, SO_LINGER, &hard, sizeof(hard));
			else
				got += read_all(s, 1);
		}
		close(s);
	}
	waitpid(server, &status, 0);
	say("connected", (size_t)n);
	say("client_got", got);
	say("again", again);
	say_client(&a);
}

static void refusals(int type)
{
	struct address a;
	int s = make(type, &a, 1);
	unsigned refused = 0;

	close(s);
	for (int i = 0; i < n; i++) {
		struct address mine;

		s = make(type, &mine, 0);
		if (connect(s, (void *)&a.to, a.len) == 0) {
			check(send(s, data, bytes, 0) == (ssize_t)bytes, "send");
			refused += recv(s, data, 1, 0) < 0 && errno == ECONNREFUSED;
		} else {
			refused += errno == ECONNREFUSED;
		}
		close(s);
	}
	say("refused", refused);
	say_client(&a);
}

/* The child has its name and waits for what comes. */
static void wait_for_sleeper(pid_t pid, const char *name)
{
	char path[64], line[256] = "", state[32];

	snprintf(state, sizeof(state), "(%s) S ", name);

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	while (!strstr(line, state)) {
		FILE *f = fopen(path, "r");

		check(f && fgets(line, sizeof(line), f), path);
		fclose(f);
	}
}

static void datagrams(void)
{
	struct address a;
	int to = make(SOCK_DGRAM, &a, 1), status;
	pid_t server = fork();
	size_t got = 0;

	if (!server) {
		prctl(PR_SET_NAME, server_name);
		for (int i = 0; i < n; i++) {
			struct address from = {.len = sizeof(from.to)};

			got += (size_t)recvfrom(to, data, sizeof(data), 0, (void *)&from.to,
						&from.len);
			check(sendto(to, data, 1, 0, (void *)&from.to, from.len) == 1, "sendto");
		}
		say("server_got", got);
		say("server", (size_t)getpid());
		_exit(0);
	}
	wait_for_sleeper(server, server_name);
	close(to);
	for (int i = 0; i < n; i++) {
		struct address mine;
		int s = make(SOCK_DGRAM, &mine, 0);

		check(connect(s, (void *)&a.to, a.len) == 0, "connect");
		check(send(s, data, bytes, 0) == (ssize_t)bytes, "send");
		check(recv(s, data, 1, 0) == 1, "recv");
		close(s);
	}
	waitpid(server, &status, 0);
	say("sent", (size_t)n);
	say_client(&a);
}

/* A connection is read by a child of who has accepted it, which waits before anything is sent. */
static void inherited(void)
{
	struct address a;
	int listener = make(SOCK_STREAM, &a, 1), told[2], status;
	pid_t server, worker;

	check(listen(listener, 128) == 0 && pipe(told) == 0, "listen");
	server = fork();
	for (int i = 0; i < n && !server; i++) {
		int s = accept(listener, NULL, NULL);

		prctl(PR_SET_NAME, server_name);
		worker = fork();
		if (!worker) {
			prctl(PR_SET_NAME, worker_name);
			_exit(read_all(s, SIZE_MAX) != bytes);
		}
		close(s);
		check(write(told[1], &worker, sizeof(worker)) == sizeof(worker), "write");
		check(waitpid(worker, &status, 0) == worker && !status, "worker");
	}
	if (!server)
		_exit(0);
	for (int i = 0; i < n; i++) {
		struct address mine;
		int s = make(SOCK_STREAM, &mine, 0);

		check(connect(s, (void *)&a.to, a.len) == 0, "connect");
		check(read(told[0], &worker, sizeof(worker)) == sizeof(worker), "read");
		wait_for_sleeper(worker, worker_name);
		write_all(s, bytes);
		close(s);
	}
	check(waitpid(server, &status, 0) == server && !status, "server");
	say_client(&a);
}

static void run(char **what)
{
	family = atoi(what[1]) == 6 ? AF_INET6 : AF_INET;
	n = atoi(what[2]);
	bytes = strtoul(what[3], NULL, 10);
	if (strcmp(what[0], "refused") == 0)
		refusals(SOCK_STREAM);
	else if (strcmp(what[0], "inherited") == 0)
		inherited();
	else if (strcmp(what[0], "udprefused") == 0)
		refusals(SOCK_DGRAM);
	else if (strcmp(what[0], "udp") == 0)
		datagrams();
	else
		connections(what[0]);
}

static void run_as(char **what)
{
	char name[14];

	snprintf(name, sizeof(name), "%s%s", what[0], what[1]);
	prctl(PR_SET_NAME, name);
	snprintf(server_name, sizeof(server_name), "%s-s", name);
	snprintf(worker_name, sizeof(worker_name), "%s-w", name);
	snprintf(prefix, sizeof(prefix), "%s ", name);
	run(what);
}

int main(int argc, char **argv)
{
	int status;

	check(argc > 4 && argc % 4 == 1, "nettraffic WHAT FAMILY N BYTES...");
	if (argc == 5) {
		run(argv + 1);
		if (getenv("AFTERWARDS"))
			prctl(PR_SET_NAME, getenv("AFTERWARDS"));
		return 0;
	}
	for (char **what = argv + 1; *what; what += 4) {
		pid_t child = fork();

		check(child >= 0, "fork");
		if (!child) {
			run_as(what);
			return 0;
		}
		check(waitpid(child, &status, 0) == child && !status, *what);
	}
	return 0;
}
