/*
 * The saved position is shared by the clauses of one firing.
 *
 * opts: -q
 */

BEGIN { printf("%s\n", strtok("one two three", " ")); }
BEGIN { printf("%s\n", strtok(NULL, " ")); }
BEGIN { printf("%s\n", strtok(NULL, " ")); exit(0); }
