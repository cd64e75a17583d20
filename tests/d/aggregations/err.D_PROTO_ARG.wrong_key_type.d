/*
 * So are their types.
 *
 * line: 7
 */

BEGIN { @a[1] = count(); @a["x"] = count(); }
