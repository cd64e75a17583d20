/*
 * An enabling whose records need more than a buffer is refused.
 *
 * status: 1
 * opts: -b 1
 */

BEGIN { exit(0); }
