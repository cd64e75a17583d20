/*
 * But for what a pragma says of it.
 *
 * opts: -qv
 */

#pragma D attributes Evolving/Evolving/Common t
inline kthread_t *t = curthread;
dtrace:::BEGIN { trace((t == NULL) * 0); exit(0); }
