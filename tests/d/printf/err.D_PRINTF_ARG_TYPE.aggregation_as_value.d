/*
 * An aggregation is no value.
 *
 * line: 7
 */

BEGIN { @a = count(); printf("%d", @a); }
