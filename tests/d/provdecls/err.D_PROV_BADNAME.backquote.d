/*
 * It holds no backquote.
 *
 * line: 8
 * message: provider name may not contain scoping operator: a`b
 */

provider a`b { probe x(); };

BEGIN { exit(0); }
