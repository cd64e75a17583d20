/*
 * Of an empty aggregation a format prints nothing, no format the leading newline.
 */

BEGIN /0/ { @["a"] = count(); }
BEGIN { printa("x\n", @); }
BEGIN { printa(@); exit(0); }
