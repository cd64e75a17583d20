/*
 * A histogram is printed whole by %@d.
 *
 * opts: -q
 */

BEGIN { @a["k"] = quantize(3); printa("<%s>%@d|\n", @a); exit(0); }
