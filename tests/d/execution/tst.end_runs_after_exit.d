/*
 * END fires once, after tracing stopped, and its data is printed last.
 *
 * opts: -q
 */

END { printf("end\n"); }
BEGIN { printf("begin\n"); exit(0); }
