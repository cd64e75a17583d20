/*
 * offsetof takes a structure, not a pointer to one.
 *
 * line: 9
 * message: offsetof operand must be a struct or union type
 */

struct s { int a; };
BEGIN { trace(offsetof(struct s *, a)); }
