/*
 * An output parameter has the name of an input.
 *
 * line: 8
 * message: probe q output parameter #1 b is not an input parameter
 */

provider p { probe q(int a) : (int b); };

BEGIN { exit(0); }
