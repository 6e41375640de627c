"""Tests of the client against the real service, which is killed while it is asked."""

import datetime
import os
import socket
import subprocess
import tempfile
import threading
import unittest

import recoup

PROGRAM = os.environ.get("RECOUP_PROGRAM", "")


class Mortal:
    """A service with a database of its own, which dies while it is asked. It takes the place of
    what opens connections for a client."""

    def __init__(self, folder):
        with socket.create_server(("127.0.0.1", 0)) as free:
            address = f"127.0.0.1:{free.getsockname()[1]}"
        self.args = [PROGRAM, "serve", "--dev", "--log-level", "error", "--db", folder + "/data", "--listen", address]
        self.asked, self.deaths = 0, 0
        self.client = recoup.Client(f"http://{address}", retry=recoup.Retry(attempts=1000, first=0.01, most=0.05, patience=60))
        self.start()
        self.client.list_programs()
        self.open_one = self.client._opener.open
        self.client._opener = self

    def start(self):
        self.process = subprocess.Popen(self.args, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def kill(self):
        self.deaths += 1
        self.process.kill()
        self.process.wait()

    def open(self, request, timeout):
        """Of each ten requests one finds nobody, one is done and its answer lost, and one is on its way
        when the service dies."""
        self.asked += 1
        match self.asked % 10:
            case 3:
                self.kill()
                try:
                    return self.open_one(request, timeout=timeout)
                finally:
                    self.start()
            case 5:
                killer = threading.Thread(target=self.kill)
                killer.start()
                try:
                    return self.open_one(request, timeout=timeout)
                finally:
                    killer.join()
                    self.start()
            case 7:
                self.open_one(request, timeout=timeout).close()
                self.kill()
                self.start()
                raise ConnectionResetError("the answer was lost")
        return self.open_one(request, timeout=timeout)


@unittest.skipUnless(PROGRAM, "RECOUP_PROGRAM names no program: make test-clients does")
class Killed(unittest.TestCase):
    def test_nothing_is_done_twice(self):
        """Events and redemptions that were acknowledged are there once, whatever becomes of the
        service and of its answers."""
        with tempfile.TemporaryDirectory() as folder:
            service = Mortal(folder)
            try:
                client = service.client
                now = datetime.datetime.now(datetime.timezone.utc).isoformat()
                event = {"specversion": "1.0", "source": "core", "type": "transaction.settled", "subject": "acct-1", "time": now}
                for i in range(30):
                    data = {"transaction": f"t{i}", "amount": 10000, "currency": "USD"}
                    client.deliver([{**event, "id": f"e{i}", "data": data}])
                for _ in range(20):
                    client.redeem("acct-1", {"amount": 50, "currency": "USD"})
                account = client.account("acct-1")
                self.assertEqual((account["balance"], account["redeemed"], account["version"]), (30 * 100 - 20 * 50, 20 * 50, 50))
                bought = [t["id"] for t in client.list_transactions("acct-1", limit=100)["transactions"]]
                self.assertEqual(sorted(bought), sorted(f"t{i}" for i in range(30)))
                self.assertGreater(service.deaths, 10)
            finally:
                service.kill()


if __name__ == "__main__":
    unittest.main()
