/*
 * script.c: libdtrace-script.so: one probe for programs in languages that have none. What loads it
 * calls dtrace_event() with a text: that is script$target:::event with the text as args[0]. Tcl has
 * it as a command (load libdtrace-script.so). It uses no other library.
 */
#include "hook/app/dtrace/probe.h"

#define PUBLIC __attribute__((visibility("default")))

PUBLIC void dtrace_event(const char *text);
PUBLIC int dtrace_event_enabled(void);

DTRACE_SEMAPHORE(script, event);
DTRACE_TYPES(script, event, "char *");

void dtrace_event(const char *text)
{
	DTRACE_PROBE(script, event, text);
}

/* Not 0 while somebody traces it: is the text worth making? */
int dtrace_event_enabled(void)
{
	return DTRACE_ENABLED(script, event);
}

/* ---- Tcl ---- */

/* tcl.h is not needed to build this. Who loads it as an extension of Tcl has these functions; for
 * all others they are NULL. */
#define OF_TCL PUBLIC __attribute__((weak))
typedef int tcl_command(void *data, void *interp, int nwords, void *const *words);
OF_TCL void *Tcl_CreateObjCommand(void *interp, const char *name, tcl_command *, void *data,
				  void (*deleted)(void *data));
OF_TCL char *Tcl_GetString(void *word);
OF_TCL void Tcl_WrongNumArgs(void *interp, int nwords, void *const *words, const char *rest);
OF_TCL void *Tcl_NewBooleanObj(int value);
OF_TCL void Tcl_SetObjResult(void *interp, void *value);

enum { TCL_OK, TCL_ERROR };

static int event_command(void *data, void *interp, int nwords, void *const *words)
{
	(void)data;
	if (nwords != 2) {
		Tcl_WrongNumArgs(interp, 1, words, "text");
		return TCL_ERROR;
	}
	dtrace_event(Tcl_GetString(words[1]));
	return TCL_OK;
}

static int enabled_command(void *data, void *interp, int nwords, void *const *words)
{
	(void)data;
	(void)nwords;
	(void)words;
	Tcl_SetObjResult(interp, Tcl_NewBooleanObj(dtrace_event_enabled()));
	return TCL_OK;
}

/* What `load` calls: the name is made of the file's letters up to the "-". */
PUBLIC int Dtrace_Init(void *interp);
int Dtrace_Init(void *interp)
{
	if (!Tcl_CreateObjCommand)
		return TCL_ERROR;
	Tcl_CreateObjCommand(interp, "dtrace_event", event_command, (void *)0, (void *)0);
	Tcl_CreateObjCommand(interp, "dtrace_event_enabled", enabled_command, (void *)0, (void *)0);
	return TCL_OK;
}
