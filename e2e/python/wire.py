"""A TCP relay between an SDK and the server, so that a test decides when the network is there."""

import contextlib
import socket
import threading


class Wire:
    """A wire to a server's port, listening on a port of its own."""

    def __init__(self, port):
        self._port = port
        self._is_cut = False
        self._lock = threading.Lock()
        self._sockets = set()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def cut(self):
        """Drops every connection; new ones are dropped too until `mend()`."""
        with self._lock:
            self._is_cut = True
            for end in self._sockets:
                _drop(end)
            self._sockets.clear()

    def mend(self):
        with self._lock:
            self._is_cut = False

    def close(self):
        self.cut()
        _drop(self._listener)
        self._listener.close()

    def _accept(self):
        while True:
            try:
                near, _ = self._listener.accept()
            except OSError:
                return
            with self._lock:
                if self._is_cut:
                    near.close()
                    continue
            try:
                far = socket.create_connection(("127.0.0.1", self._port))
            except OSError:
                near.close()
                continue
            with self._lock:
                self._sockets |= {near, far}
                if self._is_cut:
                    _drop(near)
                    _drop(far)
            for here, there in ((near, far), (far, near)):
                threading.Thread(target=_pipe, args=(here, there), daemon=True).start()


def _pipe(here, there):
    with contextlib.suppress(OSError):
        while data := here.recv(65536):
            there.sendall(data)
    _drop(here)
    _drop(there)


def _drop(end):
    with contextlib.suppress(OSError):
        end.shutdown(socket.SHUT_RDWR)
