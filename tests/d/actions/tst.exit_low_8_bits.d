/*
 * The status is the low 8 bits.
 *
 * opts: -q
 * status: 255
 */

BEGIN { exit(-1); }
