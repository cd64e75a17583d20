/*
 * fatal.h: the last word before a signal ends the process. One per process, as dispositions are.
 */
#ifndef BASE_FATAL_H
#define BASE_FATAL_H

/*
 * fn(arg) is called once, on a stack of its own, when a signal arrives whose default action ends
 * the process and that is neither blocked nor handled now; then the process ends as it would have.
 * fn does what signal handlers may do (man signal-safety). Children made by fork inherit it, until
 * they exec. A fault in guarded memory (guard.h) is no end.
 */
void fatal_prepare(void (*fn)(void *), void *arg);

#endif
