/*
 * Each member has a stability of its own.
 *
 * opts: -qv
 */

struct o { kthread_t *t; int a; };
translator struct o < int p > { t = curthread; a = p; };
dtrace:::BEGIN { trace(xlate <struct o>(1).a); exit(0); }
