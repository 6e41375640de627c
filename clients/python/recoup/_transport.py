"""How requests are made, and when one is made again."""

from __future__ import annotations

import http.client
import json
import random
import secrets
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

MOST_ANSWER = 64 << 20
"""How much is read of an answer, in bytes."""

_KEY = "Idempotency-Key"


@dataclass(frozen=True)
class Retry:
    """When a request is sent again.

    Nothing is done twice by it: the service recognises events, redemptions and decisions that
    it has, and an operation of which it would not is only sent again where the answer was that
    nothing was done. Times are in seconds.
    """

    attempts: int = 5
    """How often a request is made at most; 1 makes each once."""
    first: float = 0.2
    """Before the attempt after the nth, the pause is drawn from zero to first * 2**(n-1)."""
    most: float = 10.0
    """That is at most this; what the service asks for by Retry-After comes on top."""
    patience: float = 60.0
    """The longest Retry-After that is waited for; if the service asks for more, its answer is raised."""

    def after(self, attempt: int, once: bool, failure: Exception) -> float | None:
        """How long to wait before a request is made again that failed; None: it is not."""
        if attempt >= self.attempts:
            return None
        asked = 0.0
        if isinstance(failure, Error):
            asked = failure.retry_after
            if failure.status in (408, 429):  # nothing was done
                pass
            elif once or failure.code == "account_damaged":  # which somebody has to mend first
                return None
            elif failure.status not in (423, 500, 502, 503, 504):
                return None
        elif once:
            return None
        if asked > self.patience:
            return None
        return asked + random.uniform(0, min(self.most, self.first * 2 ** min(attempt - 1, 20)))


class Error(Exception):
    """An answer that is none of success. code is what to go by; it is empty where the answer is
    not the service's, such as a proxy's."""

    def __init__(self, status: int, problem: Mapping[str, Any], retry_after: float = 0.0) -> None:
        self.status = status
        self.code: str = problem.get("code", "")
        self.title: str = problem.get("title", "")
        self.detail: str = problem.get("detail", "")
        self.member: str = problem.get("member", "")
        self.proposal: int | None = problem.get("proposal")
        self.retry_after = retry_after
        """How long, in seconds, the service wants to be left alone."""
        super().__init__(f"{self.code or status}: {self.title}. {self.detail}".rstrip(". ") + ".")


class NotModified(Exception):
    """Nothing has changed since the ETag of If-None-Match."""


class Unanswered(Exception):
    """No answer came, or not a whole one: nobody knows whether it was done."""


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, req: Any, fp: Any, code: Any, msg: Any, headers: Any, newurl: Any) -> None:
        return None


class Transport:
    """Makes the requests to one service. It may be used by several threads."""

    def __init__(
        self,
        address: str,
        key: str = "",
        *,
        retry: Retry = Retry(),
        timeout: float = 60.0,
        on_answer: Callable[[int, Mapping[str, str]], None] | None = None,
    ) -> None:
        """address is one such as https://recoup.example.com; key is empty for a service that is
        open (--dev). on_answer is told the status and headers of every answer."""
        parts = urllib.parse.urlsplit(address)
        if parts.scheme not in ("http", "https") or not parts.netloc or parts.query or parts.fragment:
            raise ValueError(f"the address of the service: expected one such as https://recoup.example.com, found {address!r}")
        self._base, self._key = address.removesuffix("/"), key
        self.retry, self.timeout, self._on_answer = retry, timeout, on_answer
        self._opener = urllib.request.build_opener(_NoRedirects)
        self._sleep: Callable[[float], None] = time.sleep

    def _call(
        self,
        method: str,
        template: str,
        *,
        path: Mapping[str, Any] | None = None,
        query: Mapping[str, Any] | None = None,
        header: Mapping[str, Any] | None = None,
        keyed: bool = False,
        body: Any = None,
        content_type: str = "",
        once: bool = False,
    ) -> Any:
        """Makes a request, again if that makes sense, and returns what the answer has."""
        for name, value in (path or {}).items():
            if str(value) in ("", ".", ".."):  # it would be another path
                raise ValueError(f"{name}: expected an id, found {value!r}")
            template = template.replace("{" + name + "}", urllib.parse.quote(str(value), safe=""))
        given = {name: _text(value) for name, value in (query or {}).items() if value is not None}
        if given:
            template += "?" + urllib.parse.urlencode(given)
        headers = {name: _text(value) for name, value in (header or {}).items() if value is not None}
        if keyed and not headers.get(_KEY):  # sent again, it is recognised
            headers[_KEY] = secrets.token_hex(16)
        data = None
        if body is not None:
            headers["Content-Type"] = content_type
            data = body if isinstance(body, bytes) else json.dumps(body, ensure_ascii=False, allow_nan=False).encode()
        if self._key:
            headers["Authorization"] = "Bearer " + self._key
        attempt = 0
        while True:
            attempt += 1
            try:
                return self._attempt(method, template, headers, data)
            except (Error, Unanswered) as failure:
                wait = self.retry.after(attempt, once, failure)
                if wait is None:
                    raise
            self._sleep(wait)

    def _attempt(self, method: str, path: str, headers: Mapping[str, str], data: bytes | None) -> Any:
        request = urllib.request.Request(self._base + path, data=data, headers=dict(headers), method=method)
        answer: Any
        try:
            try:
                answer = self._opener.open(request, timeout=self.timeout)
            except urllib.error.HTTPError as refused:
                answer = refused
            with answer:
                text = answer.read(MOST_ANSWER + 1)
        except (OSError, http.client.HTTPException) as e:
            raise Unanswered(f"{method} {path}: {e}") from e
        status, said = answer.status, answer.headers
        if self._on_answer:
            self._on_answer(status, said)
        if len(text) > MOST_ANSWER:
            raise Error(status, {"title": f"the answer has more than {MOST_ANSWER} bytes"})
        if status == 304:
            raise NotModified(path)
        if not 200 <= status <= 299:
            raise _error(status, said, text)
        if not text:
            return None
        if "json" in said.get_content_type():
            return json.loads(text, parse_float=Decimal)  # no amount becomes a float
        return text.decode()


def _text(value: Any) -> str:
    return {True: "true", False: "false"}[value] if isinstance(value, bool) else str(value)


def _error(status: int, headers: Mapping[str, str], text: bytes) -> Error:
    try:
        problem = json.loads(text)
        if not problem.get("code"):
            problem = {}
    except (ValueError, AttributeError):
        problem = {}
    seconds = headers.get("Retry-After", "")
    asked = float(seconds) if seconds.isascii() and seconds.isdigit() and len(seconds) <= 9 else 0.0
    return Error(status, problem or {"title": http.client.responses.get(status, "")}, asked)
