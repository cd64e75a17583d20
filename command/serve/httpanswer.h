/*
 * httpanswer.h: what a collector of OpenTelemetry answers over HTTP/1.x (RFC 9112). Pure functions
 * of bytes from anybody.
 */
#ifndef COMMAND_SERVE_HTTPANSWER_H
#define COMMAND_SERVE_HTTPANSWER_H

#include "base/base.h"

struct http_answer {
	unsigned status;  /* 0: this is no answer of HTTP */
	const char *body; /* into the bytes that were given; NULL: its head has no end */
	size_t nbody;
	uint64_t nrefused;  /* points that were not taken, and the collector's own words: */
	const char *reason; /* as body */
	size_t nreason;
};

/* A head, and as much of a body as it says: the sender may keep the connection. */
bool http_answer_is_whole(const char *bytes, size_t n);
/* is_protobuf: the body is an ExportMetricsServiceResponse, or says nothing. */
void http_answer_read(const char *bytes, size_t n, bool is_protobuf, struct http_answer *);

#endif
