/*
 * The clauses of a probe run in the order of the text.
 *
 * opts: -q
 */

BEGIN, END { printf("%s ", probename); }
BEGIN { printf("1 "); }
BEGIN { printf("2 "); exit(0); }
END { printf("3\n"); }
