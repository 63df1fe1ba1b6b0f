"""What deploy/docker/compose.postgres.yml starts, without containers: PostgreSQL, two servers on
it, and HAProxy with the very file that is given to the container."""

import os
import pwd
import re
import shutil
import subprocess
import tempfile
import urllib.request
from contextlib import ExitStack
from pathlib import Path

from server import ROOT, Server, eventually, free_port

# Over when its standard input is, however this process ends: the same as the test kit in Rust does.
POSTGRES = """
start() {
    pg_ctl -D data -w -l server.log -o "-c listen_addresses='' -c unix_socket_directories='$PWD' \
        -c fsync=off -c shared_buffers=32MB" start >>pg_ctl.log 2>&1
}
stop() {
    pg_ctl -D data -m immediate -w stop >>pg_ctl.log 2>&1
}
initdb -D data -U postgres -A trust -E UTF8 --locale=C --no-sync >initdb.log 2>&1 && start &&
echo done &&
while read -r order; do
    "$order" && echo done || echo failed
done
stop
rm -rf "$PWD"
"""


class Postgres:
    """A temporary PostgreSQL."""

    def __init__(self):
        folder = Path(tempfile.mkdtemp(prefix="burgee-e2e-postgres-"))
        self.url = f"postgres://postgres@localhost/postgres?host={folder}"
        installed = sorted(Path("/usr/lib/postgresql").glob("*/bin"))
        path = os.pathsep.join([os.environ["PATH"], *map(str, installed[-1:])])
        user = {}
        if os.geteuid() == 0:
            # PostgreSQL refuses to run as root.
            postgres = pwd.getpwnam("postgres")
            os.chown(folder, postgres.pw_uid, postgres.pw_gid)
            user = {"user": postgres.pw_uid, "group": postgres.pw_gid, "extra_groups": []}
        self._shell = subprocess.Popen(
            ["/bin/sh", "-c", POSTGRES],
            cwd=folder,
            env={**os.environ, "PATH": path},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            bufsize=1,
            start_new_session=True,
            **user,
        )
        self._done()

    def crash(self):
        self._order("stop")

    def come_back(self):
        self._order("start")

    def stop(self):
        self._shell.stdin.close()
        self._shell.wait()

    def _order(self, order):
        self._shell.stdin.write(f"{order}\n")
        self._done()

    def _done(self):
        answer = self._shell.stdout.readline().strip()
        assert answer == "done", f"PostgreSQL did not do what it was told: {answer!r}"


class Proxy:
    """HAProxy before servers."""

    def __init__(self, servers):
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        text = (ROOT / "deploy/docker/haproxy.cfg").read_text()
        text = text.replace("bind :5100", f"bind 127.0.0.1:{self.port}")
        for number, server in enumerate(servers, 1):
            text, replaced = re.subn(rf"burgee-{number}:5100", f"127.0.0.1:{server.port}", text)
            assert replaced == 1
        self.folder = Path(tempfile.mkdtemp(prefix="burgee-e2e-proxy-"))
        (self.folder / "haproxy.cfg").write_text(text)
        self.log = self.folder / "log"
        program = shutil.which("haproxy") or "/usr/sbin/haproxy"
        with self.log.open("wb") as log:
            command = [program, "-db", "-f", "haproxy.cfg"]
            self._process = subprocess.Popen(command, cwd=self.folder, stdout=log, stderr=log)
        eventually(self._answers, "the proxy answers")

    def _answers(self):
        with urllib.request.urlopen(f"{self.url}/health/readiness") as response:
            return response.status == 200

    def stop(self):
        self._process.kill()
        self._process.wait()
        shutil.rmtree(self.folder)


class Cluster:
    """All of them."""

    def __init__(self):
        # Mail goes nowhere: that it does not is counted.
        mail = ["--smtp-url", "smtp://127.0.0.1:1", "--mail-from", "burgee@example.com"]
        options = ["--trusted-proxies", "127.0.0.1/32", *mail]
        with ExitStack() as started:

            def start(part):
                started.callback(part.stop)
                return part

            self.postgres = start(Postgres())
            self.servers = [start(Server(self.postgres.url, options)) for _ in range(2)]
            self.proxy = start(Proxy(self.servers))
            self.stop = started.pop_all().close
