#!/usr/bin/env python3
"""live_edge.py COMMAND...: runs it on a terminal of 40 columns and 6 rows, which becomes 20 columns wide; prints the
widest line that was drawn before and after."""

import fcntl
import os
import pty
import re
import struct
import sys
import termios
import unicodedata

def resize(fd, rows, cols):
    fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, cols, 0, 0))

def width(line):
    return sum(0 if unicodedata.combining(c) or ord(c) < 32 else 2 if unicodedata.east_asian_width(c) in "WF" else 1
               for c in line)

pid, fd = pty.fork()
if pid == 0:
    resize(0, 6, 40)
    os.execvp(sys.argv[1], sys.argv[1:])
seen, widest, resized_at = b"", {40: 0, 20: 0}, None
while True:
    try:
        part = os.read(fd, 65536)
    except OSError:
        break
    if not part:
        break
    seen += part
    if resized_at is None and seen.count(b"\033[J") >= 3:
        resized_at = len(seen)
        resize(fd, 6, 20)
os.waitpid(pid, 0)
# what was on its way when it was resized is as wide as before: two drawings are left out
after = seen[resized_at:].split(b"\033[H")
for cols, draws in ((40, seen[:resized_at].split(b"\033[H")[1:]), (20, after[3:])):
    for draw in draws:
        draw = draw.split(b"\033[J")[0].decode()
        for line in re.sub(r"\x1b\[[A-Z]", "", draw).replace("\r", "").split("\n"):
            widest[cols] = max(widest[cols], width(line))
print(widest[40], widest[20])
