/*
 * An inline is as stable as the least it reads.
 *
 * opts: -qv
 */

inline kthread_t *t = curthread;
dtrace:::BEGIN { trace((t == NULL) * 0); exit(0); }
