"""A headless Chromium, told what to do over the pipe of the DevTools protocol: no driver and no package needed."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--window-size=1300,1000", "--remote-debugging-pipe",
)  # fmt: skip

WIRING = """
import fcntl, os, sys
ends = [fcntl.fcntl(int(end), fcntl.F_DUPFD, 10) for end in sys.argv[1:3]]
os.dup2(ends[0], 3), os.dup2(ends[1], 4)
os.execv(sys.argv[3], sys.argv[3:])
"""
"""The browser reads commands from 3 and answers on 4."""


class Browser:
    """One page of one browser."""

    def __init__(self) -> None:
        self.folder = tempfile.mkdtemp(prefix="chromium-")
        commands, self.to = os.pipe()
        self.back, answers = os.pipe()
        self.process = subprocess.Popen(
            [sys.executable, "-c", WIRING, str(commands), str(answers), CHROMIUM, *FLAGS,
             f"--user-data-dir={self.folder}", "about:blank"],
            pass_fds=(commands, answers), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        os.close(commands)
        os.close(answers)
        self.number = 0
        self.rest = b""
        self.events = []
        self.session = None
        pages = self.ask("Target.getTargets")["targetInfos"]
        page = next(one["targetId"] for one in pages if one["type"] == "page")
        self.session = self.ask("Target.attachToTarget", targetId=page, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.ask(f"{domain}.enable")

    def ask(self, method, **parameters):
        """Send a command and wait for its answer; events are kept."""
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.to, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._next()
            if answer.get("id") == self.number:
                assert "error" not in answer, answer
                return answer["result"]
            self.events.append(answer)

    def _next(self):
        while b"\0" not in self.rest:
            chunk = os.read(self.back, 1 << 16)
            assert chunk, "the browser has gone"
            self.rest += chunk
        line, self.rest = self.rest.split(b"\0", 1)
        return json.loads(line)

    def open(self, path, key=""):
        """Show a file, and wait until it is there."""
        self.away()
        self._go("about:blank")
        self.events.clear()
        self._go(Path(path).as_uri() + (f"#{key}" if key else ""))

    def _go(self, address):
        self.ask("Page.navigate", url=address)
        there = f"document.readyState === 'complete' && location.href.startsWith({address.partition('#')[0]!r})"
        while not self.value(there):
            time.sleep(0.01)

    def value(self, expression):
        """The value of a JavaScript expression in the page."""
        found = self.ask("Runtime.evaluate", expression=expression, returnByValue=True)
        assert "exceptionDetails" not in found, found
        return found["result"].get("value")

    def _middle(self, selector):
        self.value(f"document.querySelector({selector!r}).scrollIntoView({{block: 'center'}})")
        box = f"document.querySelector({selector!r}).getBoundingClientRect()"
        return {key: self.value(f"{box}.{low} + {box}.{size} / 2") for key, low, size in (
            ("x", "left", "width"), ("y", "top", "height"))}  # fmt: skip

    def point(self, selector):
        """Move the mouse over an element."""
        self.ask("Input.dispatchMouseEvent", type="mouseMoved", **self._middle(selector))

    def away(self):
        """Move the mouse to where nothing is."""
        self.ask("Input.dispatchMouseEvent", type="mouseMoved", x=1290, y=5)

    def click(self, selector):
        """Press and release the mouse over an element."""
        at = self._middle(selector)
        for kind in ("mousePressed", "mouseReleased"):
            self.ask("Input.dispatchMouseEvent", type=kind, button="left", clickCount=1, **at)

    def press(self, key, code):
        """Press and release a key."""
        for kind in ("keyDown", "keyUp"):
            self.ask("Input.dispatchKeyEvent", type=kind, key=key, windowsVirtualKeyCode=code)

    def close(self):
        """End the browser."""
        self.process.kill()
        self.process.wait()
        os.close(self.to)
        os.close(self.back)
        shutil.rmtree(self.folder, ignore_errors=True)
