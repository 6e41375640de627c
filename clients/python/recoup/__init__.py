"""A client of Recoup's API, of the standard library alone.

Types and methods are generated from the document that the service answers with at
/openapi.json. What is here besides is what no generator knows: when a request is sent again
(Retry), events in batches (Client.deliver), and whether a notice is Recoup's (verify_notice).

Amounts are integers in minor units, times texts in RFC 3339.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import cast

from . import api
from ._transport import Error, NotModified, Retry, Unanswered
from .notices import Notification, SignatureError, TimestampError, verify_notice

__all__ = ["Client", "Error", "NotModified", "Notification", "Retry", "SignatureError", "TimestampError", "Unanswered", "Undelivered", "api", "verify_notice"]

_BATCH = 1000


class Undelivered(Exception):
    """Events were not applied, whose accounts somebody else had locked all the time. outcomes
    has what became of the first events."""

    def __init__(self, locked: int, outcomes: list[api.EventOutcome]) -> None:
        self.outcomes = outcomes
        super().__init__(f"{locked} events: their accounts stayed locked")


class Client(api.Operations):
    """Asks one service."""

    def account(self, account: str) -> api.Account:
        """The account as of now."""
        return cast(api.Account, self.get_account(account))

    def deliver(self, events: Sequence[api.CloudEvent]) -> list[api.EventOutcome]:
        """Sends events in batches, and returns what became of each, in their order.

        An event that is refused is an outcome, not an error. Those of accounts that are locked
        are sent again, and Undelivered is raised where they stay so; all may then be sent again
        as they are, since the service recognises what it has.
        """
        outcomes: list[api.EventOutcome] = []
        for start in range(0, len(events), _BATCH):
            some, locked = self._deliver(events[start : start + _BATCH])
            outcomes += some
            if locked:
                raise Undelivered(locked, outcomes)
        return outcomes

    def _deliver(self, events: Sequence[api.CloudEvent]) -> tuple[list[api.EventOutcome], int]:
        """Sends a batch, and again what of it was locked; returns how many events stayed so."""
        found: dict[int, api.EventOutcome] = {}
        left = list(range(len(events)))  # places of those to be sent
        attempt = 0
        while True:
            attempt += 1
            body = json.dumps([events[i] for i in left], ensure_ascii=False, allow_nan=False).encode()
            answer = cast(list[api.EventOutcome], self.post_events(body, "application/cloudevents-batch+json"))
            if len(answer) != len(left):
                raise ValueError(f"POST /v1/events: expected {len(left)} outcomes, found {len(answer)}")
            found.update(zip(left, answer))
            left = [i for i in left if found[i]["outcome"] == "failed" and found[i]["code"] == "account_locked"]
            wait = self.retry.after(attempt, False, Error(423, {})) if left else None
            if wait is None:
                return [found[i] for i in range(len(events))], len(left)
            self._sleep(wait)
