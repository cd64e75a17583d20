/*
 * An aggregation is printed by printa().
 *
 * line: 7
 */
BEGIN
{ @a = count(); print(@a); }
