/*
 * Structures are laid out as the System V ABI says.
 *
 * opts: -q
 */

struct s { char a; int b; struct { short c; } d; char e; };
BEGIN { printf("%d %d %d %d\n", offsetof(struct s, b), offsetof(struct s, d), offsetof(struct s, e), sizeof(struct s)); exit(0); }
