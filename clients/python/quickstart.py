"""Buys something, looks at the account, and redeems."""

import datetime, os, recoup

client = recoup.Client(os.environ["RECOUP_URL"], os.environ.get("RECOUP_KEY", ""))
outcomes = client.deliver([{
    "specversion": "1.0", "source": "core", "id": "e1", "type": "transaction.settled", "subject": "acct-1",
    "time": datetime.datetime.now(datetime.UTC).isoformat(),
    "data": {"transaction": "t1", "amount": 10000, "currency": "USD", "mcc": "5411"},
}])
account = client.account("acct-1")
paid = client.redeem("acct-1", {"amount": 200, "currency": "USD"}, idempotency_key="payout-0001")
print(outcomes[0]["outcome"], account["available"], paid["outcome"], paid["balance"])
