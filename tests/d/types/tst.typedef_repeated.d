/*
 * The same typedef again is no error, as headers that include each other need it; integers that D
 * has under a name may come with the other sign.
 *
 * opts: -q
 */

typedef int foo;
typedef int foo;
typedef struct s { int a; } s_t;
typedef struct s s_t;
typedef unsigned int id_t;
typedef signed char int8_t;

BEGIN
{
	trace((id_t)-1);
	exit(0);
}
