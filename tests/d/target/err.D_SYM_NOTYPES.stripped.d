/*
 * A symbol of a module without debug information has no type.
 *
 * target: types-nodebug
 * line: 8
 */
BEGIN
{ trace(`counter); }
