/*
 * Inside the translator the members after this one have no conversion yet.
 *
 * line: 10
 * message: translator does not define conversion for member: b
 */

struct o { int a; int b; };
translator struct o < int i > {
	a = xlate <struct o>(i).b;
	b = i;
};

BEGIN { exit(0); }
