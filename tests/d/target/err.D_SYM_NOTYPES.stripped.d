/*
 * A symbol of a module without debug information has no type.
 *
 * target: types-nodebug
 * line: 9
 * message: no type is known for symbol `counter of module types-nodebug: it has no debug information
 */
BEGIN
{ trace(`counter); }
