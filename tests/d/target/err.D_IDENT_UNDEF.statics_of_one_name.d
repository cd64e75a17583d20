/*
 * Which function's variable is meant is not guessed.
 *
 * target: types
 * message: failed to resolve `same_name: several functions have a static variable of this name
 * line: 9
 */
BEGIN
{ trace(`same_name); }
