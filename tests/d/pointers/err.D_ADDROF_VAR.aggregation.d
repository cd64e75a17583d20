/*
 * An aggregation has no address: it is a dynamic variable.
 *
 * line: 8
 * message: cannot take address of dynamic variable
 */

BEGIN { @a = count(); trace(&@a); }
