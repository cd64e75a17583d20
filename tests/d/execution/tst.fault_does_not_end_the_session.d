/*
 * Without exit a fault does not end the session.
 *
 * opts: -q
 */

BEGIN { x = 0; trace(1 / x); exit(1); }
tick-10ms { printf("alive\n"); exit(0); }
