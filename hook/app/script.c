/*
 * script.c: libdtrace-script.so: one probe for programs in languages that have none. What loads it
 * calls dtrace_event() with a text: that is script$target:::event with the text as args[0]. It uses
 * no other library.
 */
#include "hook/app/dtrace/probe.h"

void dtrace_event(const char *text);
int dtrace_event_enabled(void);

DTRACE_SEMAPHORE(script, event);
DTRACE_TYPES(script, event, "char *");

__attribute__((visibility("default"))) void dtrace_event(const char *text)
{
	DTRACE_PROBE(script, event, text);
}

/* Not 0 while somebody traces it: is the text worth making? */
__attribute__((visibility("default"))) int dtrace_event_enabled(void)
{
	return DTRACE_ENABLED(script, event);
}
