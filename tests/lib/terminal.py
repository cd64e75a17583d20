"""A command on a terminal of its own, that waits until something has been shown there.

show(COMMAND, WORD, release, begin): begins; when WORD is on the terminal, or a time has passed (with -q
nothing is to come), releases; then prints what the terminal got, and what is left on its screen.
"""
import os
import pty
import sys
import time


def show(command, word, release, begin=lambda: None):
    pid, terminal = pty.fork()
    if pid == 0:
        os.execv(command[0], command)
    begin()
    seen = b""
    end = time.monotonic() + (1 if "-q" in command else 60)
    os.set_blocking(terminal, False)
    while word not in seen and time.monotonic() < end:
        try:
            seen += os.read(terminal, 4096)
        except BlockingIOError:
            time.sleep(0.01)
    release()
    os.set_blocking(terminal, True)
    try:
        while chunk := os.read(terminal, 4096):
            seen += chunk
    except OSError:
        pass
    print(repr(seen.decode()))
    for line in seen.decode().split("\n"):  # what is left on the screen
        screen = ""
        for part in line.split("\r"):
            screen = part + screen[len(part):]
        print("screen:", screen.rstrip())
