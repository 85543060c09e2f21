"""Servers of `asanoha serve` for tests, and one between them and their clients that breaks off and lies."""

from __future__ import annotations

import http.client
import os
import socket
import subprocess
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import asanoha as asa

#: The program, which `cargo xtask python` builds.
PROGRAM = os.environ.get("ASANOHA_PROGRAM")


class Served:
    """A server of some plans, in a folder of its own."""

    def __init__(self, folder: Path, plans: list[asa.Plan], *options: str, tls: bool = False):
        self.folder, self.options = folder, options
        (folder / "plans").mkdir()
        for number, plan in enumerate(plans):
            (folder / "plans" / f"{number}.json").write_bytes(plan.to_bytes())
        if tls:
            self.options += ("--own-certificate", "cert.pem")
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        self.token = self.make_token("clinic")
        self.start()

    @property
    def certificate(self) -> Path:
        return self.folder / "cert.pem"

    def make_token(self, client: str) -> str:
        out = self.folder / f"token-{client}"
        command = [PROGRAM, "tokens", "create", client, "--store", "store", "--out", out.name]
        subprocess.run(command, cwd=self.folder, check=True, capture_output=True)
        return out.read_text().strip()

    def start(self) -> None:
        where = ["--plans", "plans", "--store", "store", "--listen", f"127.0.0.1:{self.port}"]
        command = [PROGRAM, "serve", *where, *self.options]
        self.process = subprocess.Popen(command, cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        for line in self.process.stderr:
            if line.startswith(b"listening at "):
                self.url = line.removeprefix(b"listening at ").decode().strip()
                break
        else:
            raise AssertionError("the server doesn't tell its address")
        threading.Thread(target=self.process.stderr.read, daemon=True).start()

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()

    def metric(self, name: str) -> int:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        connection.request("GET", "/metrics")
        text = connection.getresponse().read().decode()
        connection.close()
        return next(int(line.split()[1]) for line in text.splitlines() if line.startswith(f"asanoha_{name} "))


#: What takes an answer's place: given the method, the path, the status and the body, a status and a body.
Lie = Callable[[str, str, int, bytes], tuple[int, bytes]]


class Liar:
    """Passes requests on to a server over plain HTTP, unless `seize` takes them, and alters answers by `lie`."""

    def __init__(self, served: Served):
        self.served = served
        self.requests: list[tuple[str, str]] = []
        self.lie: Lie = lambda method, path, status, body: (status, body)
        self.seize: Callable[[Any, str, str], bool] = lambda handler, method, path: False
        liar = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def pass_on(self) -> None:
                liar.requests.append((self.command, self.path))
                if liar.seize(self, self.command, self.path):
                    self.close_connection = True
                    return
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                status, body = liar.lie(self.command, self.path, *liar.ask(self, body))
                self.send_response(status)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            do_GET = do_PUT = do_POST = do_DELETE = pass_on

            def log_message(self, *_: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def ask(self, handler: Any, body: bytes) -> tuple[int, bytes]:
        """Asks the server what the client asked."""
        connection = http.client.HTTPConnection("127.0.0.1", self.served.port, timeout=60)
        names = ["Authorization", "Idempotency-Key"]
        headers = {name: handler.headers[name] for name in names if name in handler.headers}
        connection.request(handler.command, handler.path, body or None, headers)
        answer = connection.getresponse()
        told = answer.status, answer.read()
        connection.close()
        return told

    def cut(self, handler: Any, count: int) -> None:
        """Passes on the head and so many bytes of the body, and breaks both connections off."""
        length = int(handler.headers["Content-Length"])
        with socket.create_connection(("127.0.0.1", self.served.port)) as out:
            head = f"{handler.command} {handler.path} HTTP/1.1\r\nHost: x\r\nContent-Length: {length}\r\n"
            head += f"Authorization: {handler.headers['Authorization']}\r\n\r\n"
            out.sendall(head.encode() + handler.rfile.read(count))
        handler.connection.shutdown(socket.SHUT_RDWR)

    def asked(self, method: str, part: str) -> list[str]:
        """The paths of requests."""
        return [path for of, path in self.requests if of == method and part in path]

    def stop(self) -> None:
        self.server.shutdown()
        self.server.server_close()
