/*
 * The hidden record of faults takes no part in what a buffer must hold: 64 bytes are enough to exit.
 *
 * opts: -q -b 64 -x bufpolicy=fill
 */

BEGIN { trace(1); exit(0); }
END { trace(2); }
