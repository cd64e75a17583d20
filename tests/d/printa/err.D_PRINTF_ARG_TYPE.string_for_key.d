/*
 * The conversion of a key fits it.
 *
 * line: 7
 */

BEGIN { @a["x"] = count(); printa("%d %@d\n", @a); }
