/*
 * Structures are not compared.
 *
 * line: 11
 * message: operands have incompatible types: "struct s" == "struct s"
 */

struct s { int a; };
struct s a;
struct s b;
BEGIN { trace(a == b); }
