#!/usr/bin/env python3
"""Renders a terminal program's screen as an SVG picture.

    Scripts/picture.py [--size 110x32] [--seconds 15] [--keys TEXT] [--light] OUTPUT PROGRAM [ARGUMENT ...]

Runs the program in a pseudo terminal, reads its screen for a while, and writes what the screen shows then. The terminal
knows the control sequences that the demo writes: cursor positions, clearing, looks (SGR), modes, and the questions for
the background and the attributes, which it answers. Lines and blocks are drawn as shapes, so that they join in every
font. Takes only Python's standard library.
"""

import argparse
import fcntl
import os
import pty
import re
import select
import signal
import struct
import sys
import termios
import time
import unicodedata
from xml.sax.saxutils import escape

CELL_WIDTH, CELL_HEIGHT, MARGIN, BAR = 8.4, 18, 14, 30
DARK = {"page": "#161b22", "frame": "#30363d", "text": "#d0d7de"}
LIGHT = {"page": "#ffffff", "frame": "#d0d7de", "text": "#1f2328"}
BASIC = ("#484f58 #ff7b72 #3fb950 #d29922 #58a6ff #bc8cff #39c5cf #b1bac4 "
         "#6e7681 #ffa198 #56d364 #e3b341 #79c0ff #d2a8ff #56d4dd #ffffff").split()
PLAIN = (None, None, False, False)  # foreground, background, bold, dim


class Screen:
    """What the sequences of a program make of a grid of cells."""

    TOKEN = re.compile(
        r"\x1b\[(?P<parameters>[?<>=]?[0-9;]*)(?P<final>[@-~])|\x1b\](?P<string>[^\x07\x1b]*)(?:\x07|\x1b\\)|\x1b[^\[\]]")

    def __init__(self, width, height, answer):
        self.width, self.height, self.answer = width, height, answer
        self.look, self.x, self.y, self.pending = PLAIN, 0, 0, ""
        self.clear()

    def clear(self):
        self.cells = [[(" ", PLAIN)] * self.width for _ in range(self.height)]

    def feed(self, text):
        text, self.pending = self.pending + text, ""
        position = 0
        while position < len(text):
            if text[position] != "\x1b":
                self.put(text[position])
                position += 1
                continue
            token = self.TOKEN.match(text, position)
            if not token:
                # The rest of the sequence is still on its way.
                self.pending = text[position:]
                return
            position = token.end()
            if token["final"]:
                self.obey(token["final"], token["parameters"])
            elif token["string"] is not None:
                self.answer("]" + token["string"])

    def put(self, character):
        if character == "\r":
            self.x = 0
        elif character == "\n":
            self.y = min(self.y + 1, self.height - 1)
        elif unicodedata.combining(character) or character in "\u200d\ufe0e\ufe0f" or "\U0001f3fb" <= character <= "\U0001f3ff":
            # Belongs to the character before.
            if self.x > 0:
                index = self.x - 1 if self.cells[self.y][self.x - 1][0] else self.x - 2
                before, look = self.cells[self.y][index]
                self.cells[self.y][index] = (before + character, look)
        elif character >= " " and self.x < self.width:
            self.cells[self.y][self.x] = (character, self.look)
            self.x += 1
            if unicodedata.east_asian_width(character) in "WF" and self.x < self.width:
                self.cells[self.y][self.x] = ("", self.look)
                self.x += 1

    def obey(self, final, parameters):
        numbers = [int(number or 0) for number in parameters.lstrip("?<>=").split(";")]
        if final == "H":
            self.y = min(max(numbers[0], 1), self.height) - 1
            self.x = min(max(numbers[1] if len(numbers) > 1 else 1, 1), self.width) - 1
        elif final == "C":
            self.x = min(self.x + max(numbers[0], 1), self.width)
        elif final == "J" and numbers[0] == 2:
            self.clear()
        elif final == "m":
            self.choose(numbers)
        elif final == "c":
            self.answer("[c")

    def choose(self, numbers):
        front, back, bold, dim = self.look
        rest = list(numbers)
        while rest:
            number = rest.pop(0)
            if number == 0:
                front, back, bold, dim = PLAIN
            elif number == 1:
                bold = True
            elif number == 2:
                dim = True
            elif number in (38, 48):
                kind = rest.pop(0)
                if kind == 2:
                    color, rest = "#%02x%02x%02x" % tuple(rest[:3]), rest[3:]
                else:
                    color = cube(rest.pop(0))
                front, back = (color, back) if number == 38 else (front, color)
            elif 30 <= number < 38 or 90 <= number < 98:
                front = BASIC[number - 30 if number < 38 else number - 82]
            elif 40 <= number < 48 or 100 <= number < 108:
                back = BASIC[number - 40 if number < 48 else number - 92]
        self.look = (front, back, bold, dim)


def cube(index):
    """A colour of 256: the sixteen, the cube of six by six by six, the grays."""
    if index < 16:
        return BASIC[index]
    if index >= 232:
        return "#" + "%02x" % (8 + 10 * (index - 232)) * 3
    levels = [0, 95, 135, 175, 215, 255]
    index -= 16
    return "#%02x%02x%02x" % (levels[index // 36], levels[index // 6 % 6], levels[index % 6])


def capture(words, width, height, seconds, keys, is_light):
    """Runs a program, and returns its screen after some seconds."""
    process, terminal = pty.fork()
    if process == 0:
        environment = {**os.environ, "TERM": "xterm-256color", "COLORTERM": "truecolor"}
        for name in ("NO_COLOR", "COLORFGBG"):
            environment.pop(name, None)
        # The size comes before the program: it is given by the parent, which writes a line then.
        sys.stdin.readline()
        os.execvpe(words[0], words, environment)

    def answer(question):
        if question == "[c":
            os.write(terminal, b"\x1b[?62;22c")
        elif question == "]11;?":
            color = "rgb:ffff/ffff/ffff" if is_light else "rgb:1616/1b1b/2222"
            os.write(terminal, f"\x1b]11;{color}\x1b\\".encode())

    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", height, width, 0, 0))
    screen = Screen(width, height, answer)
    os.write(terminal, b"\n")
    end, key_time, decoded = time.monotonic() + seconds, time.monotonic() + seconds / 3, b""
    try:
        while time.monotonic() < end:
            if keys and time.monotonic() > key_time:
                os.write(terminal, keys.encode())
                keys = ""
            if not select.select([terminal], [], [], 0.1)[0]:
                continue
            decoded += os.read(terminal, 65536)
            # A character may be cut at the end of what was read.
            text = decoded.decode("utf-8", "ignore")
            screen.feed(text)
            decoded = decoded[len(text.encode()):]
    except OSError:
        sys.exit("picture: the program has ended before its picture was taken:\n"
                 + "\n".join("".join(cell[0] for cell in row).rstrip() for row in screen.cells).rstrip())
    finally:
        os.kill(process, signal.SIGTERM)
        # It gives its terminal back, which must be read for that.
        for _ in range(100):
            if os.waitpid(process, os.WNOHANG)[0]:
                break
            if select.select([terminal], [], [], 0.05)[0]:
                try:
                    os.read(terminal, 65536)
                except OSError:
                    pass
        else:
            os.kill(process, signal.SIGKILL)
            os.waitpid(process, 0)
    return screen


EIGHTHS_UP = "▁▂▃▄▅▆▇█"
EIGHTHS_RIGHT = "▏▎▍▌▋▊▉█"
CORNERS = {"╭": (1, 1), "╮": (-1, 1), "╰": (1, -1), "╯": (-1, -1)}


def shape(character, count, x, y, color):
    """A line or a block as a shape, so many times; None for another character."""
    width = CELL_WIDTH * count
    middle_x, middle_y = x + CELL_WIDTH / 2, y + CELL_HEIGHT / 2
    stroke = f'stroke="{color}" fill="none"'
    if character == "─":
        return f'<path d="M{x:.1f} {middle_y:.1f}h{width:.1f}" {stroke}/>'
    if character == "│":
        return "".join(f'<path d="M{middle_x + CELL_WIDTH * index:.1f} {y:.1f}v{CELL_HEIGHT}" {stroke}/>'
                       for index in range(count))
    if character in CORNERS:
        right, down = CORNERS[character]
        return (f'<path d="M{middle_x:.1f} {middle_y + down * CELL_HEIGHT / 2:.1f}'
                f'Q{middle_x:.1f} {middle_y:.1f} {middle_x + right * CELL_WIDTH / 2:.1f} {middle_y:.1f}" {stroke}/>')
    if character in EIGHTHS_UP:
        part = CELL_HEIGHT * (EIGHTHS_UP.index(character) + 1) / 8
        return f'<rect x="{x:.1f}" y="{y + CELL_HEIGHT - part:.2f}" width="{width:.1f}" height="{part:.2f}" fill="{color}"/>'
    if character in EIGHTHS_RIGHT:
        part = CELL_WIDTH * (EIGHTHS_RIGHT.index(character) + 1) / 8
        return f'<rect x="{x:.1f}" y="{y:.1f}" width="{part:.2f}" height="{CELL_HEIGHT}" fill="{color}"/>'
    return None


def runs(row):
    """The parts of a row that can be drawn at once: (column, text, how many cells, look)."""
    part = None
    for column, (character, look) in enumerate(row):
        if character == "":
            continue
        width = 2 if column + 1 < len(row) and row[column + 1][0] == "" else 1
        is_text = character.isascii() and character != " "
        if part and part[3] == look and part[4] == is_text and (is_text or part[1][-1] == character) and width == 1:
            part[1] += character
            part[2] += 1
            continue
        if part:
            yield part[:4]
        part = [column, character, width, look, is_text]
    if part:
        yield part[:4]


def draw(screen, theme, title):
    """The screen as SVG."""
    width = 2 * MARGIN + screen.width * CELL_WIDTH
    height = BAR + MARGIN + screen.height * CELL_HEIGHT
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" '
        f'height="{height:.0f}" role="img" aria-label="{escape(title)}">',
        "<style>text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace;"
        "white-space:pre}.b{font-weight:bold}.d{opacity:.6}</style>",
        f'<rect x=".5" y=".5" width="{width - 1:.0f}" height="{height - 1:.0f}" rx="9" fill="{theme["page"]}" '
        f'stroke="{theme["frame"]}"/>',
    ]
    for index, color in enumerate(("#ff5f57", "#febc2e", "#28c840")):
        out.append(f'<circle cx="{18 + 20 * index}" cy="{BAR / 2 + 2:.0f}" r="6" fill="{color}"/>')
    for y, row in enumerate(screen.cells):
        top = BAR + y * CELL_HEIGHT
        for column, text, count, (front, back, bold, dim) in runs(row):
            x = MARGIN + column * CELL_WIDTH
            color = front or theme["text"]
            if back:
                # A little wider, so that neighbours leave no gap.
                out.append(f'<rect x="{x - 0.2:.1f}" y="{top}" width="{count * CELL_WIDTH + 0.4:.1f}" '
                           f'height="{CELL_HEIGHT}" fill="{back}"/>')
            if not text.strip():
                continue
            drawn = shape(text[0], count, x, top, color)
            if drawn:
                out.append(drawn)
                continue
            names = " ".join(name for name, is_on in (("b", bold), ("d", dim)) if is_on)
            kind = f' class="{names}"' if names else ""
            out.append(f'<text x="{x:.1f}" y="{top + 13.5:.1f}" textLength="{count * CELL_WIDTH:.1f}" '
                       f'lengthAdjust="spacingAndGlyphs" fill="{color}"{kind}>{escape(text)}</text>')
    return "\n".join(out + ["</svg>"]) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--size", default="110x32", help="columns x rows")
    parser.add_argument("--seconds", type=float, default=15, help="when the picture is taken")
    parser.add_argument("--keys", default="", help="what is typed after a third of the time")
    parser.add_argument("--light", action="store_true", help="a light background")
    parser.add_argument("--title", default="A terminal")
    parser.add_argument("output")
    parser.add_argument("program", nargs=argparse.REMAINDER)
    options = parser.parse_args()
    width, height = map(int, options.size.split("x"))
    screen = capture(options.program, width, height, options.seconds, options.keys, options.light)
    if not any(cell[0].strip() for row in screen.cells for cell in row):
        sys.exit("picture: the screen is empty")
    with open(options.output, "w", encoding="utf-8") as file:
        file.write(draw(screen, LIGHT if options.light else DARK, options.title))


if __name__ == "__main__":
    main()
