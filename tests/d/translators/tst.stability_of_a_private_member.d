/*
 * It is the least of what the definition reads.
 *
 * opts: -qv
 */

struct o { kthread_t *t; int a; };
translator struct o < int p > { t = curthread; a = p; };
dtrace:::BEGIN { trace((xlate <struct o>(1).t == NULL) * 0); exit(0); }
