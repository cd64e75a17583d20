/*
 * A fault in the predicate is action 0 and the clause does not run.
 *
 * opts: -q
 */

int zero;
BEGIN /1 / zero/ { printf("never\n"); }
BEGIN { printf("next\n"); exit(0); }
ERROR { printf("%d\n", arg2); }
