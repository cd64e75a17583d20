/*
 * A tag that the module does not have.
 *
 * target: types
 * message: failed to resolve type struct a.out`nosuch: Unknown type name
 * line: 9
 */
BEGIN
{ trace(sizeof(struct a.out`nosuch)); }
