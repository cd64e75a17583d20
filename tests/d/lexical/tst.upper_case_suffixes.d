/*
 * Suffixes may be in upper case.
 *
 * opts: -q
 */

BEGIN { trace(sizeof(1U)); trace(sizeof(1UL)); trace(sizeof(1LL)); trace(sizeof(1ull)); trace(-1U); exit(0); }
