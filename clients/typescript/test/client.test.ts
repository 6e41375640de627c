// Tests of the client against a service that answers as it is told.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { NoticeError, Recoup, RecoupError, Undelivered, verifyNotice } from "../src/index.js";
import { keyed, once } from "../src/retry.js";

/** A table that the clients in all languages are held to. */
const table = (name: string) => JSON.parse(readFileSync(new URL(`../../../${name}`, import.meta.url), "utf8"));

interface Asked {
  method: string;
  url: string;
  headers: IncomingMessage["headers"];
  body: string;
}

/** A service that answers as it is told, and remembers what it was asked. */
async function script(answer: (response: ServerResponse, n: number, body: string) => void, play: (s: { client: Recoup; asked: Asked[]; waits: number[] }) => Promise<void>) {
  const asked: Asked[] = [];
  const waits: number[] = [];
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const part of request) body += part;
    asked.push({ method: request.method!, url: request.url!, headers: request.headers, body });
    answer(response, asked.length - 1, body);
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const client = new Recoup({ address, key: "rk_test", sleep: async (ms) => void waits.push(ms) });
  try {
    await play({ client, asked, waits });
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

const json = (response: ServerResponse, status: number, value: unknown, headers: Record<string, string> = {}) =>
  response.writeHead(status, { "Content-Type": "application/json", ...headers }).end(JSON.stringify(value));

for (const c of table("testdata/retries.json")) {
  test(`requests are sent again: ${c.name}`, () =>
    script(
      (response, n) => {
        const told = c.answers[n];
        if (told === "broken") return void response.destroy();
        const headers: Record<string, string> = told.retry_after === undefined ? {} : { "Retry-After": String(told.retry_after) };
        json(response, told.status, told.code ? { status: told.status, code: told.code, title: "t", detail: "d" } : {}, headers);
      },
      async ({ client, asked, waits }) => {
        const calls: Record<string, () => Promise<unknown>> = {
          redeem: () => client.redeem({ path: { account: "acct/1" }, body: { amount: 100, currency: "USD" } } as Parameters<Recoup["redeem"]>[0]),
          "list-programs": () => client.listPrograms(),
          "add-webhook": () => client.addWebhook({ body: { url: "https://example.com" } }),
        };
        const result = await calls[c.operation]!().then(
          () => "done",
          (e) => (e instanceof RecoupError ? e.code || String(e.status) : "broken"),
        );
        assert.deepEqual([result, asked.length], [c.result, c.requests]);
        for (const [i, [least, most]] of (c.waits ?? []).entries()) assert.ok(waits[i]! >= least && waits[i]! <= most, String(waits));
        const keys = new Set(asked.map((a) => a.headers["idempotency-key"]));
        assert.equal(keys.size, 1);
        assert.equal(keys.has(undefined), c.operation !== "redeem");
        for (const a of asked) assert.deepEqual([a.headers.authorization, a.body], ["Bearer rk_test", asked[0]!.body]);
        if (c.operation === "redeem") assert.equal(asked[0]!.url, "/v1/accounts/acct%2F1/redemptions");
      },
    ));
}

test("a key that is given is used", () =>
  script(
    (response) => json(response, 201, {}),
    async ({ client, asked }) => {
      await client.redeem({ path: { account: "a" }, headers: { "Idempotency-Key": "payout-0001" }, body: { amount: 1, currency: "USD" } });
      assert.equal(asked[0]!.headers["idempotency-key"], "payout-0001");
    },
  ));

test("parameters are escaped, and none makes another path", () =>
  script(
    (response) => json(response, 200, {}),
    async ({ client, asked }) => {
      await client.listReviews({ query: { account: "a&b=c ?", limit: 7 } });
      assert.deepEqual([...new URL(asked[0]!.url, "http://x").searchParams], [["account", "a&b=c ?"], ["limit", "7"]]);
      for (const account of ["", ".", ".."]) await assert.rejects(client.account(account), TypeError);
      assert.equal(asked.length, 1);
    },
  ));

test("redirects are not followed, and an answer that breaks off is none", () =>
  script(
    (response, n) => {
      if (n > 0) response.writeHead(302, { Location: "/elsewhere" }).end();
      else response.writeHead(200, { "Content-Length": "100" }).write("{}", () => response.destroy());
    },
    async ({ client, asked }) => {
      await assert.rejects(client.listPrograms(), (e) => e instanceof RecoupError && e.status === 302);
      assert.equal(asked.length, 2);
    },
  ));

test("a signal ends the waiting", () =>
  script(
    (response) => void response.writeHead(503).end(),
    async ({ asked }) => {
      const stop = new AbortController();
      const client = new Recoup({ address: "http://127.0.0.1:1", fetch: async () => new Response(null, { status: 503 }), sleep: async (_, signal) => (stop.abort(), signal!.throwIfAborted()) });
      await assert.rejects(client.listPrograms({ signal: stop.signal }));
      assert.equal(asked.length, 0);
    },
  ));

test("events are delivered in batches and in order, and again if they were locked", () => {
  const sizes: number[] = [];
  const locked: Record<string, number> = { e3: 2, e7: 1, e1001: 1 };
  return script(
    (response, _, body) => {
      const events: { id: string }[] = JSON.parse(body);
      sizes.push(events.length);
      json(response, 200, events.map(({ id }) => {
        if (locked[id]) return locked[id]--, { id, outcome: "failed", code: "account_locked" };
        return id === "e5" ? { id, outcome: "failed", code: "account_damaged" } : { id, outcome: "applied", code: null };
      }));
    },
    async ({ client }) => {
      const events = Array.from({ length: 1002 }, (_, i) => ({ specversion: "1.0", source: "core", id: `e${i}`, type: "account.opened", subject: "a", time: "2026-01-05T10:00:00Z" }) as const);
      const outcomes = await client.deliver(...events);
      assert.deepEqual(sizes, [1000, 2, 1, 2, 1]);
      assert.deepEqual(outcomes.map((o) => o.id), events.map((e) => e.id));
      assert.deepEqual(outcomes.filter((o) => o.outcome !== "applied").map((o) => o.id), ["e5"]);
      locked.e3 = 100;
      await assert.rejects(client.deliver(...events.slice(0, 5)), (e) => e instanceof Undelivered && e.outcomes.length === 5);
    },
  );
});

for (const c of table("testdata/notices.json")) {
  test(`a notice: ${c.name}`, async () => {
    const headers = { "Webhook-Id": c.id, "webhook-timestamp": c.timestamp, "WEBHOOK-SIGNATURE": c.signature };
    const found = await verifyNotice(headers, Buffer.from(c.body), c.secret, c.now).then(
      (n) => (assert.deepEqual([n.id, n.type, n.data.account], [c.id, "reward.posted", "acct-1"]), "right"),
      (e) => (e as NoticeError).reason,
    );
    assert.equal(found, c.want);
  });
}

test("what may be repeated, and what takes a key, is what the document says", () => {
  let operations = 0;
  for (const [path, item] of Object.entries<Record<string, any>>(table("openapi.json").paths)) {
    for (const [method, op] of Object.entries(item)) {
      const name = `${method.toUpperCase()} /prefix${path.replaceAll(/{\w+}/g, "x")}`;
      const takesKey = (op.parameters ?? []).some((p: { name: string }) => p.name === "Idempotency-Key");
      assert.equal(once.some((r) => r.test(name)), op["x-idempotent"] === false, name);
      assert.equal(keyed.some((r) => r.test(name)), takesKey, name);
      const methodName = op.operationId.replaceAll(/-(\w)/g, (_: string, c: string) => c.toUpperCase());
      assert.equal(typeof (Recoup.prototype as unknown as Record<string, unknown>)[methodName], "function", methodName);
      operations++;
    }
  }
  assert.ok(operations > 40);
});

test("an address that is none is refused", () => {
  for (const address of ["", "localhost:8080", "ftp://example.com", "https://", "https://example.com?x=1"]) {
    assert.throws(() => new Recoup({ address }), TypeError, address);
  }
});
