/*
 * Structures of another type are not assigned.
 *
 * line: 12
 * message: operands have incompatible types: "struct s" = "struct t"
 */

struct s { int a; };
struct t { int a; };
struct s x;
struct t y;
BEGIN { x = y; }
