/*
 * clear, trunc and normalize accept an aggregation without entries.
 *
 * opts: -q
 */

BEGIN /0/ { @["x"] = count(); }
BEGIN { clear(@); trunc(@, 3); normalize(@, 4); denormalize(@); printa("%s %@d\n", @); exit(0); }
