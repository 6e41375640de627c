// Buys something, looks at the account, and redeems.
import { Recoup } from "./src/index.js";

const recoup = new Recoup({ address: process.env.RECOUP_URL!, key: process.env.RECOUP_KEY });
const [event] = await recoup.deliver({
  specversion: "1.0", source: "core", id: "e1", type: "transaction.settled", subject: "acct-1", time: new Date().toISOString(),
  data: { transaction: "t1", amount: 10000, currency: "USD", mcc: "5411" },
});
const account = await recoup.account("acct-1");
const paid = await recoup.redeem({ path: { account: "acct-1" }, headers: { "Idempotency-Key": "payout-0001" }, body: { amount: 200, currency: "USD" } });
console.log(event!.outcome, account.available, paid.outcome, paid.balance);
