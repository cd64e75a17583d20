/*
 * With bufpolicy fill all data is printed at the end.
 *
 * opts: -q -x bufpolicy=fill
 */

BEGIN { printf("a\n"); }
tick-5ms { printf("b\n"); exit(0); }
END { printf("c\n"); }
