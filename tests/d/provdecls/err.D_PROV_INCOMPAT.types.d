/*
 * Declared again, the types are the same.
 *
 * line: 8
 */

provider a { probe x(int); };
provider a { probe x(long); };

BEGIN { exit(0); }
