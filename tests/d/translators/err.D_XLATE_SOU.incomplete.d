/*
 * The output is complete.
 *
 * line: 8
 * message: incomplete struct/union/enum struct nodef
 */

translator struct nodef < int i > { };

BEGIN { exit(0); }
