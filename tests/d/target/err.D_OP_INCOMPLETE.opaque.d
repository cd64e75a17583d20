/*
 * A structure that is nowhere defined.
 *
 * target: types
 * line: 8
 */
BEGIN
{ trace(`opaque->member); }
