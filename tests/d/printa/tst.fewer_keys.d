/*
 * Fewer conversions than keys are allowed.
 *
 * opts: -q
 */

BEGIN { @a["x", 5] = sum(3); printa("%s|\n", @a); exit(0); }
