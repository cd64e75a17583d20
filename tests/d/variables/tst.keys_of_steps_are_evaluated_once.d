/*
 * What ++ and compound assignments change is found twice, but its keys are evaluated once.
 *
 * opts: -q -x scratchsize=64
 */

BEGIN
{
	i = 0;
	a[i++]++;
	a[i++] += 5;
	--a[i++];
	printf("%d: %d %d %d %d\n", i, a[0], a[1], a[2], a[3]);
	a[i = 7] -= 2;
	self->b[i++, "x"]--;
	printf("%d: %d %d\n", i, a[7], self->b[7, "x"]);
	j = 0;
	b[a[j++]++]++;
	printf("%d: %d %d\n", j, a[0], b[1]);
	p = (int *)alloca(16);
	p[j++]++;
	*(p + j++) += 9;
	printf("%d: %d %d %d\n", j, p[1], p[2], p[3]);
	s[strjoin("k", lltostr(j++))]++;
	printf("%d: %d\n", j, s["k3"]);
	exit(0);
}
