/*
 * The second number of ustack is a constant.
 *
 * line: 8
 * message: ustack( ) argument #2 must be a positive integer constant
 */

BEGIN { ustack(1, pid); }
