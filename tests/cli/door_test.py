#!/usr/bin/env python3
"""Who may come in: tokens, roles, experiments' walls, TLS and client certificates, against a real daemon."""
import base64
import json
import os
import socket
import subprocess
import sys
import time
import unittest
import urllib.error
import urllib.request

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from programs import WRONG  # noqa: E402
from support import BIN, GUARD_SECONDS, Cake, Daemon, Folder, Result  # noqa: E402


class StrictDaemon(Daemon):
    """A daemon with further flags."""

    def __init__(self, home: str, *flags: str) -> None:
        super().__init__(home)
        self.flags = flags

    def arguments(self) -> list[str]:
        return super().arguments() + list(self.flags)


class Person(Cake):
    """A command line with a token and perhaps certificates."""

    def __init__(self, home: str, **variables: str) -> None:
        super().__init__(home)
        self.variables = variables

    def environment(self) -> dict[str, str]:
        return super().environment() | self.variables


class Tokens(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        folder = Folder()
        cls.home = folder.__enter__()
        cls.addClassCleanup(folder.__exit__)
        cls.daemon = StrictDaemon(cls.home, "--tokens")
        cls.addClassCleanup(lambda: cls.daemon.stop())
        cls.daemon.start()
        cls.owner = Cake(cls.home)  # by the socket
        cls.tcp = cls.daemon.address["grpc"]
        cls.source = os.path.join(cls.home, "k.cake")
        with open(cls.source, "w", encoding="utf-8") as f:
            f.write(WRONG[0].source)

    def token(self, name: str, role: str, *words: str) -> Person:
        made = self.owner.run("admin", "token", name, "--role", role, "--json", *words)
        self.assertEqual(made.code, 0, made)
        return Person(self.home, CAKE_TOKEN=made.json()["token"])

    def refused(self, person: Cake, *words: str) -> None:
        result = person.run(*words, "--connect", self.tcp)
        self.assertEqual(result.code, 2, result)
        self.assertRegex(result.err, "ROLE|HIDDEN_BY_EXPERIMENT|token")

    def granted(self, person: Cake, *words: str, code: int = 0) -> Result:
        result = person.run(*words, "--connect", self.tcp)
        self.assertEqual(result.code, code, result)
        return result

    def test_1_without_a_token_only_the_socket_opens(self) -> None:
        self.assertEqual(self.owner.run("history", "runs").code, 0)
        self.refused(self.owner, "history", "runs")
        self.refused(Person(self.home, CAKE_TOKEN="cake_" + "0" * 64), "history", "runs")
        mode = os.stat(os.path.join(self.home, "caked.sock")).st_mode & 0o777
        self.assertEqual(mode & 0o077, 0)

    def test_2_each_role_opens_its_own_calls(self) -> None:
        agent, worker = self.token("a", "agent"), self.token("w", "worker")
        operator, researcher = self.token("o", "operator"), self.token("r", "researcher")
        submit = ("submit", self.source, "--workload", "vector_add", "--wait", "ack")
        self.granted(agent, *submit)
        self.granted(operator, *submit)
        for person in (worker, researcher):
            self.refused(person, *submit)
        for person in (agent, worker, researcher):
            self.refused(person, "admin", "gc")
            self.refused(person, "admin", "token", "x", "--role", "operator")
        self.granted(operator, "admin", "gc")
        query = ("sql", "select count(*) from v_candidate")
        for person in (agent, worker):
            self.refused(person, *query)
        for person in (operator, researcher):
            self.granted(person, *query)
        self.refused(worker, "history", "runs")

    def test_3_a_revoked_token_opens_nothing(self) -> None:
        agent = self.token("gone", "agent")
        self.granted(agent, "history", "runs")
        run = self.owner.run("history", "runs", "--json").json()["runs"][0]["run"]
        stays = subprocess.Popen([os.path.join(BIN, "cake"), "watch", run, "--connect", self.tcp], env=agent.environment(), text=True,
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.assertTrue(stays.stdout.readline())  # it is open
        self.assertEqual(self.owner.run("admin", "revoke", "gone", "--reason", "left").code, 0)
        self.refused(agent, "history", "runs")
        self.assertNotEqual(stays.wait(GUARD_SECONDS), 0)  # what was open has ended
        self.assertRegex(stays.stderr.read(), "ROLE|token")
        stays.stdout.close()
        stays.stderr.close()
        self.daemon.stop()
        self.daemon.start()
        type(self).tcp = self.daemon.address["grpc"]
        self.refused(agent, "history", "runs")

    def test_4_an_experiments_token_sees_that_experiment(self) -> None:
        for name in ("mine", "theirs"):
            toml = os.path.join(self.home, name + ".toml")
            with open(toml, "w", encoding="utf-8") as f:
                f.write(f'name = "{name}"\nworkload = "vector_add"\narms = ["full"]\nevaluations = 4\nvisibility = "isolated"\n'
                        f'[[start]]\nfile = "k.cake"\n')
            run = subprocess.Popen([os.path.join(BIN, "cake"), "experiment", "run", toml], env=self.owner.environment(),
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=self.home)
            end = time.monotonic() + GUARD_SECONDS
            while not self.candidates_of(name):
                self.assertLess(time.monotonic(), end)
                time.sleep(0.1)
            run.kill()
            run.wait()
        walled = self.token("walled", "agent", "--experiment", "mine")
        mine, theirs = self.candidates_of("mine")[0], self.candidates_of("theirs")[0]
        self.assertIn(mine, self.granted(walled, "history", "candidates").out)
        self.assertNotIn(theirs, self.granted(walled, "history", "candidates").out)
        self.granted(walled, "history", mine)
        runs = self.granted(walled, "history", "runs", "--json").json()["runs"]
        self.assertEqual({run["experiment"] for run in runs}, {"mine"})
        for words in (("history", theirs), ("diagnose", theirs), ("diff", mine, theirs), ("watch", theirs),
                      ("history", "runs", "--experiment", "theirs"), ("history", "events"), ("history", "findings"),
                      ("history", "queue"), ("sql", "select 1"),
                      ("submit", self.source, "--workload", "vector_add", "--parent", theirs)):
            with self.subTest(words):
                self.refused(walled, *words)

    def candidates_of(self, experiment: str) -> list[str]:
        runs = self.owner.run("history", "runs", "--json").json()["runs"]
        names = [run["run"] for run in runs if run["experiment"] == experiment]
        return [c["id"] for c in self.owner.run("history", "--run", names[0], "--json").json()["candidates"]] if names else []

    def test_5_the_page_asks_for_a_password(self) -> None:
        page = self.daemon.address["http"] + "/api/overview"

        def get(**headers: str) -> int:
            try:
                with urllib.request.urlopen(urllib.request.Request(page, headers=headers), timeout=GUARD_SECONDS) as reply:
                    return reply.status
            except urllib.error.HTTPError as error:
                return error.code

        reader = self.token("page", "researcher").variables["CAKE_TOKEN"]
        walled = self.token("page2", "agent", "--experiment", "mine").variables["CAKE_TOKEN"]
        self.assertEqual(get(), 401)
        self.assertEqual(get(Authorization="Bearer " + walled), 401)
        self.assertEqual(get(Authorization="Bearer " + reader), 200)
        basic = base64.b64encode(("me:" + reader).encode()).decode()
        self.assertEqual(get(Authorization="Basic " + basic), 200)
        stream = urllib.request.Request(self.daemon.address["http"] + "/events", headers={"Authorization": "Bearer " + reader})
        with urllib.request.urlopen(stream, timeout=GUARD_SECONDS) as events:
            self.assertTrue(events.readline())  # it is open
            self.assertEqual(self.owner.run("admin", "revoke", "page", "--reason", "left").code, 0)
            end = time.monotonic() + GUARD_SECONDS
            while events.readline():
                self.assertLess(time.monotonic(), end)
        self.assertEqual(get(Authorization="Bearer " + reader), 401)


    def test_6_what_operators_decide(self) -> None:
        agent, operator, researcher = self.token("small", "agent"), self.token("o2", "operator"), self.token("r2", "researcher")
        for person in (agent, researcher):
            self.refused(person, "admin", "quota", "small", "--weight", "100", "--reason", "mine")
        without = operator.run("admin", "quota", "small", "--open", "1", "--connect", self.tcp)
        self.assertEqual(without.code, 2, without)
        self.assertIn("reason", without.err)
        self.granted(operator, "admin", "quota", "small", "--open", "1", "--reason", "a small part")
        noted = self.owner.run("history", "events", "--kind", "AdminAction", "--format", "jsonl").out
        self.assertIn("a small part", noted)
        lines = self.granted(researcher, "sql", "v_event", "--all", "--format", "csv").out.splitlines()
        count = self.owner.run("sql", "select count(*) as n from v_event", "--format", "csv").out.splitlines()[1]
        self.assertTrue(lines[0].startswith("seq,"))
        rows = self.granted(researcher, "sql", "select seq from v_event", "--all", "--format", "jsonl").out.splitlines()
        self.assertEqual(sorted(json.loads(row)["seq"] for row in rows), list(range(1, len(rows) + 1)))
        self.assertGreaterEqual(len(rows), int(count))
        self.assertNotIn("token_hash", "".join(lines))
        self.refused(agent, "sql", "v_event", "--all", "--format", "csv")
        for question in ("meta", "select value from meta", "v_event; drop table event"):
            hidden = researcher.run("sql", question, "--all", "--format", "csv", "--connect", self.tcp)
            self.assertNotEqual(hidden.code, 0, hidden)
            self.assertEqual(hidden.out, "")

    def test_7_the_page_only_shows(self) -> None:
        reader = self.token("page3", "operator").variables["CAKE_TOKEN"]

        def ask(method: str, path: str, **headers: str) -> tuple[int, str]:
            request = urllib.request.Request(self.daemon.address["http"] + path, method=method, data=b"" if method != "GET" else None,
                                             headers={"Authorization": "Bearer " + reader} | headers)
            try:
                with urllib.request.urlopen(request, timeout=GUARD_SECONDS) as reply:
                    return reply.status, reply.headers.get("Content-Security-Policy", "")
            except urllib.error.HTTPError as error:
                return error.code, error.headers.get("Content-Security-Policy", "")

        before = self.owner.run("sql", "select max(seq) from v_event", "--format", "csv").out
        for path in ("/", "/api/overview", "/events", "/metrics", "/healthz"):
            for method in ("POST", "PUT", "DELETE", "PATCH"):
                self.assertIn(ask(method, path)[0], (404, 405), f"{method} {path}")
        self.assertEqual(ask("GET", "/"), (200, "default-src 'self'"))
        self.assertEqual(ask("GET", "/", Host="evil.example.org")[0], 421)
        self.assertEqual(self.owner.run("sql", "select max(seq) from v_event", "--format", "csv").out, before)


class Encrypted(unittest.TestCase):
    """Certificates of an authority made here."""

    @classmethod
    def setUpClass(cls) -> None:
        folder = Folder()
        cls.home = folder.__enter__()
        cls.addClassCleanup(folder.__exit__)

        def openssl(*words: str) -> None:
            subprocess.run(["openssl", *words], cwd=cls.home, check=True, capture_output=True)

        for name in ("ca", "other"):
            openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
                    "-subj", f"/CN={name}", "-keyout", f"{name}.key", "-out", f"{name}.pem")
        with open(os.path.join(cls.home, "names"), "w", encoding="utf-8") as f:
            f.write("subjectAltName=IP:127.0.0.1,DNS:localhost")
        for name, ca in (("server", "ca"), ("client", "ca"), ("stranger", "other")):
            openssl("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-subj", f"/CN={name}",
                    "-keyout", f"{name}.key", "-out", f"{name}.csr")
            openssl("x509", "-req", "-in", f"{name}.csr", "-CA", f"{ca}.pem", "-CAkey", f"{ca}.key", "-CAcreateserial", "-days", "2",
                    "-extfile", "names", "-out", f"{name}.pem")

    def pem(self, name: str) -> str:
        return os.path.join(self.home, name)

    def test_1_no_bind_beyond_this_machine_without_tls(self) -> None:
        daemon = StrictDaemon(self.pem("plain"), "--host", "0.0.0.0")
        os.makedirs(daemon.home)
        for flags in ((), ("--tls-cert", self.pem("server.pem"))):
            done = subprocess.run(daemon.arguments() + list(flags), capture_output=True, text=True, timeout=GUARD_SECONDS)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn("--tls-cert", done.stderr)
        self.assertFalse(os.path.exists(os.path.join(daemon.home, "cake.db")))

    def test_2_tls_and_client_certificates(self) -> None:
        home = self.pem("tls")
        os.mkdir(home)
        daemon = StrictDaemon(home, "--host", "0.0.0.0", "--tls-cert", self.pem("server.pem"), "--tls-key", self.pem("server.key"),
                              "--tls-client-ca", self.pem("ca.pem"))
        daemon.start()
        try:
            target = "127.0.0.1:" + daemon.address["grpc"].rsplit(":", 1)[1]
            token = Cake(home).run("admin", "token", "bot", "--json").json()["token"]
            trust = {"CAKE_CA": self.pem("ca.pem"), "CAKE_CERT": self.pem("client.pem"), "CAKE_KEY": self.pem("client.key")}

            def code(**variables: str) -> int:
                return Person(home, **variables).run("history", "runs", "--connect", target).code

            self.assertEqual(code(CAKE_TOKEN=token, **trust), 0)
            self.assertEqual(code(**trust), 2)  # a certificate is no token
            self.assertEqual(code(CAKE_TOKEN=token), 3)  # no TLS
            self.assertEqual(code(CAKE_TOKEN=token, CAKE_CA=self.pem("ca.pem")), 3)  # no certificate
            self.assertEqual(code(CAKE_TOKEN=token, **trust | {"CAKE_CERT": self.pem("stranger.pem"),
                                                                "CAKE_KEY": self.pem("stranger.key")}), 3)
            self.assertEqual(code(CAKE_TOKEN=token, **trust | {"CAKE_CA": self.pem("other.pem")}), 3)  # another daemon
            # The page stays on this machine.
            self.assertTrue(daemon.address["http"].startswith("http://127.0.0.1:"))
            with self.assertRaises(OSError):
                socket.create_connection(("127.0.0.2", int(daemon.address["http"].rsplit(":", 1)[1])), timeout=5).close()
        finally:
            daemon.stop()

    def test_3_a_worker_over_tls(self) -> None:
        home = self.pem("worker")
        os.mkdir(home)
        daemon = StrictDaemon(home, "--tokens", "--tls-cert", self.pem("server.pem"), "--tls-key", self.pem("server.key"))
        daemon.start()
        try:
            def serve(role: str) -> str:
                token = Cake(home).run("admin", "token", role, "--role", role, "--json").json()["token"]
                log = os.path.join(home, role + ".log")
                with open(log, "wb") as out:
                    worker = subprocess.Popen(
                        [os.path.join(BIN, "cake-worker"), "--device", "cpu", "--connect", daemon.address["grpc"], "--work-dir",
                         os.path.join(home, role)], stdout=out, stderr=out,
                        env=Person(home, CAKE_TOKEN=token, CAKE_CA=self.pem("ca.pem")).environment())
                end = time.monotonic() + GUARD_SECONDS
                devices: list = []
                while not devices and worker.poll() is None and time.monotonic() < end - (0 if role == "worker" else 20):
                    devices = Cake(home).run("history", "devices", "--json").json()["devices"]
                    time.sleep(0.2)
                worker.terminate()
                worker.wait()
                return json.dumps(devices)

            self.assertEqual(serve("agent"), "[]")
            self.assertNotEqual(serve("worker"), "[]")
        finally:
            daemon.stop()

    def test_4_a_token_is_never_sent_in_clear(self) -> None:
        beyond, here, missing = "192.0.2.1:7420", "127.0.0.1:9", self.pem("missing.pem")
        unreadable = {"CAKE_CA": missing}
        for target, variables, word in ((beyond, {}, "in clear"), (beyond, unreadable, missing), (here, unreadable, missing)):
            with self.subTest((target, word)):
                person = Person(self.home, CAKE_TOKEN="cake_secret", **variables)
                result = person.run("history", "runs", "--connect", target)
                self.assertNotEqual(result.code, 0)
                self.assertIn(word, result.err)
                worker = subprocess.run(
                    [os.path.join(BIN, "cake-worker"), "--device", "cpu", "--connect", target, "--work-dir", self.pem("clear")],
                    capture_output=True, text=True, timeout=GUARD_SECONDS, env=person.environment())
                self.assertEqual(worker.returncode, 3, worker.stderr)
                self.assertIn(word, worker.stderr)


if __name__ == "__main__":
    unittest.main()
