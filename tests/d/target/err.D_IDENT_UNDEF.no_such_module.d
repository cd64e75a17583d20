/*
 * The module is not there.
 *
 * target: types
 * message: failed to resolve nomod.so`counter: Module is no longer loaded
 * line: 9
 */
BEGIN
{ trace(nomod.so`counter); }
