/*
 * DTRACE_OPT_NAME acts like -x, arguments of the preprocessor and switches included.
 *
 * env: DTRACE_OPT_CPP=1 DTRACE_OPT_QUIET=1 DTRACE_OPT_DEFINE=ONE=1 DTRACE_OPT_CPPARGS=-DTWO=2
 */

BEGIN { trace(ONE + TWO); exit(0); }
