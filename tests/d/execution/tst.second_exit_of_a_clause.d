/*
 * A second exit of the clause replaces the status.
 *
 * opts: -q
 * status: 5
 */

BEGIN { exit(1); trace(2); exit(5); }
