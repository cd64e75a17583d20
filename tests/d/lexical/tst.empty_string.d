/*
 * A string may be empty.
 *
 * opts: -q
 */

BEGIN { trace(""); printf("[%s]%d\n", "", sizeof("")); exit(0); }
