/*
 * What a void pointer points to has no size.
 *
 * line: 8
 * message: print( ) argument #1 is or points to a value of unknown size: void
 */
BEGIN
{ print((void *)arg0); }
