/*
 * The index of args[] must be in range.
 *
 * message: index 5 is out of range for dtrace:::BEGIN args[ ]
 * line: 8
 */

dtrace:::BEGIN { trace(args[5]); }
