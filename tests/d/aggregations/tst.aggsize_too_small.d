/*
 * Without room for one entry of an aggregation nothing is traced.
 *
 * opts: -q -x aggsize=11
 * status: 1
 */

BEGIN { @[1] = count(); exit(0); }
