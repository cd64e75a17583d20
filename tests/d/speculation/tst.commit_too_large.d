/*
 * A commit of an ID above nspec is a fault.
 *
 * opts: -q
 */

BEGIN { commit(2); }
ERROR { printf("%d\n", arg4); exit(0); }
