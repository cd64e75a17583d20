/*
 * The module is there, the symbol is not.
 *
 * target: types
 * message: failed to resolve a.out`nosuch: Unknown symbol name
 * line: 9
 */
BEGIN
{ trace(a.out`nosuch); }
