/*
 * An aggregation is known before it is printed.
 *
 * line: 8
 * message: failed to resolve @nosuch: Unknown variable name
 */

BEGIN { printa(@nosuch); }
