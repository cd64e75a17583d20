/*
 * EPIDs follow the order of the clauses: with ERROR first, BEGIN's is 2.
 *
 * opts: -q
 */

ERROR { exit(0); }
BEGIN { x = 0; trace(1 / x); }
