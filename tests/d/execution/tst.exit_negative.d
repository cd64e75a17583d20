/*
 * The status has 8 bits.
 *
 * opts: -q
 * status: 255
 */

BEGIN { exit(-1); }
