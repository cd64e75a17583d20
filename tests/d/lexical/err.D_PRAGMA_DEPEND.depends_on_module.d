/*
 * A program may say that it needs a module.
 *
 * line: 8
 * message: program requires module nomodule
 */

#pragma D depends_on module nomodule
BEGIN { exit(0); }
