/*
 * A structure that is nowhere defined.
 *
 * target: types
 * line: 9
 * message: operator -> cannot be applied to a forward declaration: no struct hidden definition is available
 */
BEGIN
{ trace(`opaque->member); }
