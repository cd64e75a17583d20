/*
 * However many operands wait for the right side of an expression, they are there when it is known.
 *
 * opts: -q
 */

int a[int, int];
long x;

BEGIN
{
	x = 2;
	a[1, 2] = 3;
	a[1, 3] = 2;
	trace(x - (x - (x - (x - (x - (x - (x - (x - (x - (x - (x - (x - (x - 1)))))))))))));
	trace("\n");
	trace(strjoin("a", strjoin("b", strjoin("c", strjoin("d", strjoin("e", strjoin("f",
	      strjoin("g", strjoin("h", strjoin("i", strjoin("j", "k")))))))))));
	trace("\n");
	trace(a[1, a[1, a[1, a[1, a[1, a[1, a[1, a[1, a[1, x]]]]]]]]]);
	trace(x == 1 ? 1 : x + (x == 1 ? 1 : x + (x == 1 ? 1 : x + (x == 1 ? 1 : x +
	      (x == 1 ? 1 : x + (x == 1 ? 1 : x + (x == 1 ? 1 : x + (x == 1 ? 1 : x))))))));
	trace("\n");
}

BEGIN
/x == (x * (x + (x - (x + (x - (x + (x - (x + (x - (x + (x - x))))))))))) - 2/
{
	trace("predicate\n");
}

BEGIN
{
	@[x + (x * (x + (x * (x + (x * (x + (x * (x + x))))))))] = count();
	exit(0);
}
