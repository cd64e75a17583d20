/* hwnet.c: network interfaces, names and services. */
#include "providers/machine/hwconfig.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <limits.h>
#include <net/if.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/utsname.h>

#include "base/procfile.h"
#include "base/strbuf.h"

#define NET "/sys/class/net/%s"

struct reading {
	hw_fn *fn;
	void *arg;
	struct ifaddrs *addrs;
};

static void set_addresses(struct hw_nic *r, const struct ifaddrs *a)
{
	for (; a; a = a->ifa_next) {
		const struct sockaddr *sa = a->ifa_addr;

		if (!sa || strcmp(a->ifa_name, r->name) != 0)
			continue;
		if (sa->sa_family == AF_INET && !r->ipv4[0])
			inet_ntop(AF_INET,
				  &((const struct sockaddr_in *)(const void *)sa)->sin_addr,
				  r->ipv4, sizeof(r->ipv4));
		if (sa->sa_family == AF_INET6 && !r->ipv6[0])
			inet_ntop(AF_INET6,
				  &((const struct sockaddr_in6 *)(const void *)sa)->sin6_addr,
				  r->ipv6, sizeof(r->ipv6));
	}
	if (!r->ipv4[0])
		hw_missing(r->missing, "ipv4");
	if (!r->ipv6[0])
		hw_missing(r->missing, "ipv6");
}

static void read_nic(void *arg, const char *name)
{
	const struct reading *rd = arg;
	struct hw_nic r = {.missing = ""};
	char path[512];
	struct stat st;

	snprintf(path, sizeof(path), NET, name);
	if (stat(path, &st) < 0 || !S_ISDIR(st.st_mode)) /* bonding_masters is none */
		return;
	snprintf(r.name, sizeof(r.name), "%.31s", name);
	r.index = (int)hw_number(r.missing, "index", 10, NET "/ifindex", name);
	r.mtu = (int)hw_number(r.missing, "mtu", 10, NET "/mtu", name);
	r.speed = (int)hw_number(r.missing, "speed", 10, NET "/speed", name);
	if (r.speed < 0) { /* SPEED_UNKNOWN */
		r.speed = 0;
		hw_missing(r.missing, "speed");
	}
	hw_text(r.missing, "address", r.address, sizeof(r.address), NET "/address", name);
	hw_text(r.missing, "state", r.state, sizeof(r.state), NET "/operstate", name);
	hw_link(r.missing, "driver", r.driver, sizeof(r.driver), NET "/device/driver", name);
	set_addresses(&r, rd->addrs);
	rd->fn(rd->arg, &r, sizeof(r));
}

void hw_read_nics(hw_fn *fn, void *arg)
{
	struct reading rd = {.fn = fn, .arg = arg};

	if (getifaddrs(&rd.addrs) < 0)
		rd.addrs = NULL;
	hw_each("/sys/class/net", read_nic, &rd);
	if (rd.addrs)
		freeifaddrs(rd.addrs);
}

/* What is behind a keyword and blanks; NULL: it is another line. */
static char *behind(char *line, const char *keyword)
{
	size_t n = strlen(keyword);

	return strncmp(line, keyword, n) == 0 && (line[n] == ' ' || line[n] == '\t')
		       ? line + n + strspn(line + n, " \t")
		       : NULL;
}

/* resolv.conf(5): of "search" and "domain" the last one counts. */
static void read_resolver(struct hw_network *r)
{
	struct strbuf text;
	char *rest, *line, *value;
	unsigned n = 0;

	strbuf_init(&text);
	slurp("/etc/resolv.conf", &text);
	rest = text.s;
	while ((line = strsep(&rest, "\n")))
		if ((value = behind(line, "search")) || (value = behind(line, "domain")))
			snprintf(r->search, sizeof(r->search), "%s", value);
		else if (n < ARRAY_SIZE(r->dns) && (value = behind(line, "nameserver")))
			snprintf(r->dns[n++], sizeof(r->dns[0]), "%.*s",
				 (int)strcspn(value, " \t\r"), value);
	strbuf_release(&text);
	if (!n)
		hw_missing(r->missing, "dns");
	if (!r->search[0])
		hw_missing(r->missing, "search");
}

/* The route to 0.0.0.0/0 of IPv4; of several that with the smallest metric. */
static void read_gateway(struct hw_network *r)
{
	struct strbuf text;
	char *rest, *line;
	unsigned best = UINT_MAX;

	strbuf_init(&text);
	slurp("/proc/net/route", &text);
	rest = text.s;
	while ((line = strsep(&rest, "\n"))) {
		unsigned to, by, metric, mask;
		struct in_addr addr;

		if (sscanf(line, "%*s %x %x %*x %*u %*u %u %x", &to, &by, &metric, &mask) != 4 ||
		    to || mask || !by || (r->gateway[0] && metric >= best))
			continue;
		best = metric;
		addr.s_addr = by;
		inet_ntop(AF_INET, &addr, r->gateway, sizeof(r->gateway));
	}
	strbuf_release(&text);
	if (!r->gateway[0])
		hw_missing(r->missing, "gateway");
}

void hw_read_network(hw_fn *fn, void *arg)
{
	struct hw_network r = {.missing = ""};
	struct utsname u;

	if (uname(&u) == 0) {
		snprintf(r.host, sizeof(r.host), "%.63s", u.nodename);
		if (strcmp(u.domainname, "(none)") != 0)
			snprintf(r.domain, sizeof(r.domain), "%.63s", u.domainname);
	}
	if (!r.domain[0])
		hw_missing(r.missing, "domain");
	read_resolver(&r);
	read_gateway(&r);
	fn(arg, &r, sizeof(r));
}

/* The cgroup that systemd has made for it: "/system.slice/ssh.service". */
static void set_unit(struct hw_service *r)
{
	char text[2048], *line, *rest = text;

	procfile_start(r->pid, "cgroup", text, sizeof(text));
	while ((line = strsep(&rest, "\n"))) {
		const char *last = strrchr(line, '/');

		if ((strncmp(line, "0::", 3) == 0 || strstr(line, ":name=systemd:")) && last &&
		    last[1])
			snprintf(r->unit, sizeof(r->unit), "%.255s", last + 1);
	}
	if (!r->unit[0])
		hw_missing(r->missing, "unit");
}

void hw_read_services(hw_fn *fn, void *arg)
{
	struct procids pids;
	pid_t pid;

	if (procids_open(&pids, 0) < 0)
		return;
	while ((pid = procids_next(&pids))) {
		struct hw_service r = {.pid = pid};
		char text[1024], none[128] = "";
		const char *parent;

		if (procfile_start(pid, "stat", text, sizeof(text)) < 0)
			continue;
		parent = procstat_field(text, 4);
		if (!parent || atoi(parent) != 1)
			continue;
		parent = procstat_field(text, 20);
		r.nthreads = parent ? atoi(parent) : 0;
		hw_text(none, "", r.name, sizeof(r.name), "/proc/%d/comm", pid);
		set_unit(&r);
		fn(arg, &r, sizeof(r));
	}
	procids_close(&pids);
}
