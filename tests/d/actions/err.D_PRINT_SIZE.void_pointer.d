/*
 * What a void pointer points to has no size.
 *
 * line: 8
 * message: print( ) argument #1 reference has type 'void' with size 0; cannot print( ) it.
 */
BEGIN
{ print((void *)arg0); }
