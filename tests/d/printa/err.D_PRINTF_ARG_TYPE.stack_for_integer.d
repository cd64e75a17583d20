/*
 * Keys are counted as arguments behind the format.
 *
 * line: 7
 */

BEGIN { @a["x", stack()] = count(); printa("%s %d %@d", @a); }
