/*
 * A description given twice runs the body twice.
 *
 * opts: -q
 */

dtrace:::BEGIN, dtrace:::BEGIN { printf("x "); }
dtrace:::BEGIN { exit(0); }
