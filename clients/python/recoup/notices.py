"""Whether a notice is Recoup's."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import time
from collections.abc import Mapping
from typing import Any, NamedTuple

TOLERANCE = 300
"""How far, in seconds, the time of a notice may be from the receiver's."""


class SignatureError(ValueError):
    """The notice is not signed with the secret."""


class TimestampError(ValueError):
    """The notice is of another time, perhaps recorded and sent again."""


class Notification(NamedTuple):
    """A notice. id is the same whenever it is sent: remember those that were done."""

    id: str
    type: str
    timestamp: str
    data: dict[str, Any]


def verify_notice(headers: Mapping[str, str], body: bytes, secret: str, *, now: float | None = None) -> Notification:
    """The notice of a request with these headers and this body, byte for byte as it came.

    Raises SignatureError unless it was signed with the endpoint's secret (whsec_…),
    TimestampError unless that was at most TOLERANCE from now, and another ValueError that says
    what is malformed. Answer these with 400, and do nothing.
    """
    if not secret.startswith("whsec_"):
        raise ValueError("the secret: expected whsec_ and base64, as it was shown when the endpoint was added")
    try:
        key = base64.b64decode(secret.removeprefix("whsec_"), validate=True)
    except binascii.Error as e:
        raise ValueError("the secret: expected base64 after whsec_") from e
    if not key:
        raise ValueError("the secret: expected base64 after whsec_")
    names = {name.lower(): value for name, value in headers.items()}
    id, timestamp = names.get("webhook-id", ""), names.get("webhook-timestamp", "")
    if not (timestamp.isascii() and timestamp.removeprefix("-").isdigit() and len(timestamp) <= 20):
        raise ValueError(f"webhook-timestamp: expected seconds since 1970, found {timestamp!r}")
    if abs((time.time() if now is None else now) - int(timestamp)) > TOLERANCE:
        raise TimestampError("not of this time")
    want = hmac.new(key, f"{id}.{timestamp}.".encode() + body, hashlib.sha256).digest()
    for one in names.get("webhook-signature", "").split():
        scheme, _, text = one.partition(",")
        try:
            got = base64.b64decode(text, validate=True)
        except ValueError:
            continue
        if scheme == "v1" and hmac.compare_digest(got, want):
            notice = json.loads(body)
            return Notification(id, notice["type"], notice["timestamp"], notice["data"])
    raise SignatureError("no signature is right")
