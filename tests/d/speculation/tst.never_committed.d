/*
 * What is still speculative at the end is lost silently.
 *
 * opts: -q
 */

BEGIN { s = speculation(); }
BEGIN { speculate(s); printf("lost\n"); }
BEGIN { exit(0); }
