/*
 * A variable of the traced program may be translated.
 *
 * opts: -q
 * target: types
 */

typedef struct info { int value; string name; } info_t;
translator info_t < struct node n > { value = n.value; name = stringof(n.name); };
inline info_t the_first = xlate <info_t>(a.out`first);

pid$target:a.out:find:entry
{
	printf("%d %s\n", the_first.value, the_first.name);
	exit(0);
}
