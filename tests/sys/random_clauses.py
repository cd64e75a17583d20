"""Random clauses on lseek(): random_clauses.py SEED [tracepoints]. What they count depends on the arguments alone."""
import random
import sys

rng = random.Random(int(sys.argv[1]))
# probes, their arguments, and names that are keys
if "tracepoints" in sys.argv:
    ENTRY, RETURN = "linux-syscalls:::sys_enter_lseek", "linux-syscalls:::sys_exit_lseek"
    FD, OFFSET, WHENCE, RESULTS = "args[0]->fd", "args[0]->offset", "args[0]->whence", ["args[0]->ret", "args[0]->__syscall_nr"]
    NAMES = ["execname"]
else:
    ENTRY, RETURN = "syscall::lseek:entry", "syscall::lseek:return"
    FD, OFFSET, WHENCE, RESULTS = "arg0", "arg1", "arg2", ["arg1", "arg2", "arg0"]
    NAMES = ["execname", "probefunc"]
NUMBERS = [0, 1, 2, 3, 7, 31, 63, 64, 127, 255, 1000, 65535, 2**31 - 1, 2**31, 2**32 - 1, 2**40, 2**63 - 1]
TYPES = ["char", "unsigned char", "short", "unsigned short", "int", "unsigned int", "long", "unsigned long"]


def number():
    return "%s%d%s" % (rng.choice(["", "-"]), rng.choice(NUMBERS), rng.choice(["", "", "L", "ULL"]))


def value(depth, leaves):
    if depth == 0 or rng.random() < 0.15:
        return rng.choice(leaves) if rng.random() < 0.7 else "(%s)" % number()
    a, b = value(depth - 1, leaves), value(depth - 1, leaves)
    kind = rng.randrange(8)
    if kind < 3:
        return "(%s %s %s)" % (a, rng.choice("+ - * & | ^".split()), b)
    if kind == 3:
        return "(%s %s %s)" % (a, rng.choice("/ %".split()), rng.choice(["3", "-7", "10L", "4096U", "1000000007"]))
    if kind == 4:
        return "(%s %s %s)" % (a, rng.choice("<< >>".split()), rng.choice(["1", "5", "17", "33", "(%s & 63)" % b]))
    if kind == 5:
        return "((%s)%s)" % (rng.choice(TYPES), a)
    if kind == 6:
        return "(%s %s %s)" % (a, rng.choice("== != < <= > >= && || ^^".split()), b)
    return "(%s ? %s : %s)" % (a, b, value(depth - 1, leaves)) if rng.random() < 0.7 else rng.choice(["(~%s)", "(-%s)", "(!%s)"]) % a


leaves = [OFFSET, WHENCE, FD]
print("self %s a; self long b; this %s c; %s g; %s e[int, string]; BEGIN { g = %s; } END { printf(\"%%d\", g); }" %
      (rng.choice(TYPES), rng.choice(TYPES), rng.choice(TYPES), rng.choice(TYPES), number()))
print("%s /pid == $target && %s < 2/ { self->a = %s; self->b = %s; }" %
      (ENTRY, WHENCE, value(3, leaves), value(4, leaves)))
leaves += ["self->a", "self->b", "g"]
print("%s /pid == $target && (%s)/ { this->c = %s; @q = quantize(this->c); @m = llquantize(this->c, %d, %d, 6, %d); @n = count(); }" % (ENTRY, value(3, leaves), value(4, leaves), *rng.choice([(10, 0, 10), (10, 1, 100), (2, 0, 4), (6, 2, 36), (10, 0, 5)])))
leaves = RESULTS + ["self->a", "self->b", "g"]
print("%s /self->b != 0/ { @s[%s] = sum(self->a + %s); @v = avg(%s); @l = lquantize(%s, -100, 1000, 50); @k[(char)self->b, execname] = count();" %
      (RETURN, "(self->b & 7)", value(3, ["self->a", "self->b"]), value(2, ["self->a", "self->b"]), value(3, ["self->a", "self->b"])))
print("    @d = stddev(%s); @w = quantize(self->b, %s);" % (value(2, leaves), value(2, leaves)))
key = "%s & 15, %s" % (value(1, leaves), rng.choice(NAMES))
print("    e[%s]%s; @e[e[%s] & 7] = count();" % (key, rng.choice(["++", "--", " += %s" % value(2, leaves), " = e[%s] - %s" % (key, value(1, leaves))]), key))
print("    g %s %s;" % (rng.choice("= += -= |= *=".split()), value(2, leaves)))
print("    self->a = 0; self->b = 0; }")
