/*
 * A variable of each thread has no address.
 *
 * target: types
 * line: 8
 */
BEGIN
{ trace(`per_thread); }
