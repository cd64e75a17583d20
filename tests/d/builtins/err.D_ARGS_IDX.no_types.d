/*
 * args[] of a probe without types has no element.
 *
 * message: index 0 is out of range for :::BEGIN args[ ]
 * line: 8
 */

BEGIN { trace(args[0]); }
