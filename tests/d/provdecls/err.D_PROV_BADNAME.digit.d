/*
 * The name of a provider does not end in a digit: that is the process.
 *
 * line: 8
 * message: provider name may not end with a digit: a1
 */

provider a1 { probe x(); };

BEGIN { exit(0); }
