/*
 * The rules of order hold for each piece of a clause.
 *
 * opts: -q
 */

BEGIN { s = speculation(); trace(1); if (s) { speculate(s); trace(2); } exit(0); }
