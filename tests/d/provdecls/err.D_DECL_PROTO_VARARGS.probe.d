/*
 * The arguments of a probe are a fixed number.
 *
 * line: 8
 * message: probe prototype may not use a variable-length argument list
 */

provider p { probe q(int a, ...); };

BEGIN { exit(0); }
