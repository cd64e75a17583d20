/*
 * perfmap.h: a perf map of one's own (/tmp/perf-PID.map). One that an earlier process of this id
 * has left is removed; where that is somebody else's, the program says so and ends with 75, so that
 * a test can start it again, with another id.
 */
#ifndef PERFMAP_H
#define PERFMAP_H

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct perf_map {
	char path[64];
	FILE *file;
};

static inline struct perf_map perf_map_open(void)
{
	struct perf_map m;

	snprintf(m.path, sizeof(m.path), "/tmp/perf-%d.map", getpid());
	unlink(m.path);
	m.file = fopen(m.path, "wxe");
	if (!m.file) {
		fprintf(stderr, "%s: %s\n", m.path, strerror(errno));
		exit(errno == EEXIST ? 75 : 2);
	}
	return m;
}

#endif
