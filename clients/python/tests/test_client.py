"""Tests of the client against a service that answers as it is told: python3 -m unittest, in
the folder above."""

import json
import threading
import unittest
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import recoup
from recoup import Client

CLIENTS = Path(__file__).resolve().parents[2]


def table(name):
    """A table that the clients in all languages are held to."""
    return json.loads((CLIENTS / "testdata" / name).read_text())


class Script:
    """A service that answers as it is told, and remembers what it was asked."""

    def __init__(self, answer):
        self.asked, self.waits = [], []
        script = self

        class Handler(BaseHTTPRequestHandler):
            def handle_any(self):
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                script.asked.append((self.command, self.path, self.headers, body))
                told = answer(len(script.asked) - 1, body)
                if told is None:
                    self.connection.close()
                    return
                status, headers, text = told
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(text)))
                self.end_headers()
                self.wfile.write(text)

            do_GET = do_POST = handle_any

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, args=(0.01,), daemon=True).start()
        self.client = Client(f"http://127.0.0.1:{self.server.server_port}/", "rk_test")
        self.client._sleep = self.waits.append

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()


JSON = {"Content-Type": "application/json"}


class Requests(unittest.TestCase):
    def test_requests_are_sent_again(self):
        """clients/testdata/retries.json"""
        for case in table("retries.json"):
            with self.subTest(case["name"]):

                def answer(n, _):
                    told = case["answers"][n]
                    if told == "broken":
                        return None
                    headers = {"Content-Type": "application/problem+json"}
                    if "retry_after" in told:
                        headers["Retry-After"] = str(told["retry_after"])
                    problem = {"status": told["status"], "code": told["code"], "title": "t", "detail": "d"} if "code" in told else {}
                    return told["status"], headers, json.dumps(problem).encode()

                with Script(answer) as s:
                    calls = {
                        "redeem": lambda: s.client.redeem("acct/1", {"amount": 100, "currency": "USD"}),
                        "list-programs": lambda: s.client.list_programs(),
                        "add-webhook": lambda: s.client.add_webhook({"url": "https://example.com"}),
                    }
                    try:
                        calls[case["operation"]]()
                        result = "done"
                    except recoup.Error as e:
                        result = e.code or str(e.status)
                    except recoup.Unanswered:
                        result = "broken"
                    self.assertEqual((result, len(s.asked)), (case["result"], case["requests"]))
                    for (least, most), wait in zip(case.get("waits", []), s.waits, strict=False):
                        self.assertTrue(least <= wait * 1000 <= most, s.waits)
                    self.assertGreaterEqual(len(s.waits), len(case.get("waits", [])))
                    keys = {headers.get("Idempotency-Key") for _, _, headers, _ in s.asked}
                    self.assertEqual((len(keys), len({body for *_, body in s.asked})), (1, 1))
                    self.assertEqual(keys == {None}, case["operation"] != "redeem")
                    self.assertEqual({headers["Authorization"] for _, _, headers, _ in s.asked}, {"Bearer rk_test"})
                    if case["operation"] == "redeem":
                        self.assertEqual(s.asked[0][1], "/v1/accounts/acct%2F1/redemptions")

    def test_a_key_that_is_given_is_used(self):
        with Script(lambda *_: (201, JSON, b"{}")) as s:
            s.client.redeem("a", {"amount": 1, "currency": "USD"}, idempotency_key="payout-0001")
            self.assertEqual(s.asked[0][2]["Idempotency-Key"], "payout-0001")

    def test_parameters_are_escaped(self):
        with Script(lambda *_: (200, JSON, b"{}")) as s:
            s.client.list_reviews(account="a&b=c ?", limit=7)
            self.assertIn("account=a%26b%3Dc+%3F", s.asked[0][1])
            self.assertIn("limit=7", s.asked[0][1])
            for account in ("", ".", ".."):
                with self.assertRaises(ValueError):
                    s.client.account(account)
            self.assertEqual(len(s.asked), 1)

    def test_what_is_not_modified(self):
        tags = []
        with Script(lambda n, _: [(200, JSON | {"ETag": '"7"'}, b'{"balance":9007199254740993}'), (304, {}, b"")][n]) as s:
            s.client._on_answer = lambda _, headers: tags.append(headers["ETag"])
            self.assertEqual(s.client.account("a")["balance"], 9007199254740993)
            with self.assertRaises(recoup.NotModified):
                s.client.get_account("a", if_none_match=tags[0])
            self.assertEqual(s.asked[1][2]["If-None-Match"], '"7"')

    def test_redirects_are_not_followed(self):
        with Script(lambda *_: (302, {"Location": "/v1/elsewhere"}, b"")) as s, self.assertRaises(recoup.Error) as raised:
            s.client.list_programs()
        self.assertEqual((raised.exception.status, len(s.asked)), (302, 1))

    def test_an_address(self):
        for address in ("", "localhost:8080", "ftp://example.com", "https://", "https://example.com?x=1"):
            with self.assertRaises(ValueError):
                Client(address)


class Events(unittest.TestCase):
    def test_deliver(self):
        """It cuts into batches, keeps the order, and sends again what was locked and nothing else."""
        sizes, locked = [], {"e3": 2, "e7": 1, "e1001": 1}

        def answer(_, body):
            events, outcomes = json.loads(body), []
            sizes.append(len(events))
            for event in events:
                id = event["id"]
                outcome, code = "applied", None
                if locked.get(id):
                    locked[id] -= 1
                    outcome, code = "failed", "account_locked"
                elif id == "e5":
                    outcome, code = "failed", "account_damaged"
                outcomes.append({"id": id, "outcome": outcome, "code": code})
            return 200, JSON, json.dumps(outcomes).encode()

        with Script(answer) as s:
            outcomes = s.client.deliver([{"id": f"e{i}"} for i in range(1002)])
            self.assertEqual(sizes, [1000, 2, 1, 2, 1])
            self.assertEqual([o["id"] for o in outcomes], [f"e{i}" for i in range(1002)])
            self.assertEqual([o["id"] for o in outcomes if o["outcome"] != "applied"], ["e5"])
            locked["e3"] = 100
            with self.assertRaises(recoup.Undelivered) as raised:
                s.client.deliver([{"id": f"e{i}"} for i in range(5)])
            self.assertEqual(len(raised.exception.outcomes), 5)


class Notices(unittest.TestCase):
    def test_notices(self):
        """clients/testdata/notices.json"""
        for case in table("notices.json"):
            headers = {"Webhook-Id": case["id"], "webhook-timestamp": case["timestamp"], "WEBHOOK-SIGNATURE": case["signature"]}
            try:
                notice = recoup.verify_notice(headers, case["body"].encode(), case["secret"], now=case["now"])
                found = "right"
                self.assertEqual((notice.id, notice.type, notice.data["account"]), (case["id"], "reward.posted", "acct-1"))
            except recoup.TimestampError:
                found = "time"
            except recoup.SignatureError:
                found = "signature"
            except ValueError:
                found = "malformed"
            self.assertEqual(found, case["want"], case["name"])


class Document(unittest.TestCase):
    def test_every_operation_is_a_method(self):
        paths = json.loads((CLIENTS / "openapi.json").read_text())["paths"]
        ids = [op["operationId"] for item in paths.values() for op in item.values()]
        self.assertGreater(len(ids), 40)
        for id in ids:
            self.assertTrue(callable(getattr(Client, id.replace("-", "_"), None)), id)


if __name__ == "__main__":
    unittest.main()
