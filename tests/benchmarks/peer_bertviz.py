"""BertViz's `model_view` in headless Chromium, as a peer to be timed.

BertViz fetches require.js, d3 and jQuery from the web. Here they come from the folder that the
environment variable BERTVIZ_SCRIPTS names (`require.js`, `d3.min.js`, `jquery.min.js`), and they
are loaded before the clock starts, so that the drawing alone is timed.
"""

from __future__ import annotations

import importlib
import json
import os
import queue
import re
import shutil
import subprocess
import tempfile
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from mha_viewer.readings.reading import Reading

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
SCRIPTS = ("require.js", "d3.min.js", "jquery.min.js")

#: Waits for the next drawing, draws it, tells the time from its arrival to the second frame after.
_PAGE = """<!doctype html><meta charset="utf-8">
<script src="/jquery.min.js"></script>
<script src="/d3.min.js"></script>
<script src="/require.js"></script>
<div id="place"></div>
<script>
define('jquery', [], () => window.jQuery);
define('d3', [], () => window.d3);
(async () => {
  const place = document.getElementById('place');
  const frame = () => new Promise(requestAnimationFrame);
  while (true) {
    const next = await (await fetch('/next')).json();
    place.innerHTML = next.markup;
    await frame(); await frame();
    const start = performance.now();
    (0, eval)(next.script);
    while (!place.querySelector('svg')) await frame();
    await frame(); await frame();
    await fetch('/done?' + (performance.now() - start));
  }
})();
</script>"""


def hindrance() -> str:
    """Return why BertViz cannot be timed here, or nothing."""
    if not find_spec("bertviz"):
        return "bertviz is not installed"
    if not any(shutil.which(name) for name in BROWSERS):
        return "there is no Chromium"
    folder = Path(os.environ.get("BERTVIZ_SCRIPTS", "/nowhere"))
    if not all((folder / name).is_file() for name in SCRIPTS):
        return "BERTVIZ_SCRIPTS names no folder with " + ", ".join(SCRIPTS)
    return ""


class BertViz:
    """A browser that stays open and draws one sentence after the other."""

    def __init__(self) -> None:
        self._model_view = importlib.import_module("bertviz").model_view
        self._torch = importlib.import_module("torch")
        self._drawings: queue.Queue[bytes] = queue.Queue()
        self._times: queue.Queue[float] = queue.Queue()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        self._profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        browser = next(path for name in BROWSERS if (path := shutil.which(name)))
        self._browser = subprocess.Popen(
            [
                browser,
                "--headless=new",
                "--no-sandbox",
                "--window-size=1440,900",
                f"--user-data-dir={self._profile.name}",
                f"http://127.0.0.1:{self._server.server_port}/",
            ],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    def draw(self, reading: Reading) -> float:
        """Draw a sentence; return the seconds from its arrays to the painted page."""
        start = time.perf_counter()
        tensors = [self._torch.from_numpy(layer.copy())[None] for layer in reading.pattern]
        texts = [token.text for token in reading.tokens]
        page = self._model_view(tensors, texts, html_action="return", display_mode="light").data
        prepared = time.perf_counter() - start
        # BertViz's page is its markup, with a script in it that names scripts on the web.
        markup, script = re.fullmatch(
            r'.*?</script>(.*)<script type="text/javascript">(.*)</script>\s*', page, re.DOTALL
        ).groups()  # type: ignore[union-attr]
        script = re.sub(r"require\.config\(\{.*?\}\);", "", script, count=1, flags=re.DOTALL)
        self._drawings.put(json.dumps({"markup": markup, "script": script}).encode())
        return prepared + self._times.get(timeout=60)

    def close(self) -> None:
        """End the browser and the server."""
        self._browser.terminate()
        self._browser.wait(timeout=20)
        self._server.shutdown()
        self._profile.cleanup()

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        drawings, times = self._drawings, self._times
        scripts = Path(os.environ["BERTVIZ_SCRIPTS"])

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                path, _, argument = self.path.partition("?")
                if path == "/":
                    self._answer(_PAGE.encode(), "text/html")
                elif path == "/next":
                    self._answer(drawings.get(), "application/json")
                elif path == "/done":
                    times.put(float(argument) / 1e3)
                    self._answer(b"", "text/plain")
                elif path[1:] in SCRIPTS:
                    self._answer((scripts / path[1:]).read_bytes(), "text/javascript")
                else:
                    self.send_error(404)

            def _answer(self, body: bytes, kind: str) -> None:
                self.send_response(200)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: Any) -> None:
                """Keep the table's output clean."""

        return Handler
