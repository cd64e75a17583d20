/*
 * Stores to variables and aggregations done before a fault stay; exit in the clause does not
 * happen.
 *
 * opts: -q
 * status: 5
 */

BEGIN { y = 5; @a = count(); x = 0; z = 3 / x; y = 6; }
ERROR { exit(y); }
END { printf("end\n"); }
