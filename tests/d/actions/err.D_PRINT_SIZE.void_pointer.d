/*
 * What a void pointer points to has no size.
 *
 * line: 7
 */
BEGIN
{ print((void *)arg0); }
