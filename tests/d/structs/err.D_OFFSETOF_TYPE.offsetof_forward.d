/*
 * The structure is complete.
 *
 * line: 9
 * message: offsetof operand must be a struct or union type
 */

struct s;
BEGIN { trace(offsetof(struct s, a)); }
