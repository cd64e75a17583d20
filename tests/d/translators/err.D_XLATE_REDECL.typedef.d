/*
 * An input that differs by a typedef only is the same.
 *
 * line: 10
 * message: translator from pid_t to struct o has already been declared
 */

struct o { int a; };
translator struct o < int p > { a = p; };
translator struct o < pid_t p > { a = p; };

BEGIN { exit(0); }
