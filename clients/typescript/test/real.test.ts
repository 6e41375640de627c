// Tests of the client against the real service, which is killed while it is asked.
import assert from "node:assert/strict";
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { Recoup } from "../src/index.js";

const program = process.env.RECOUP_PROGRAM;

/** A service with a database of its own, which dies while it is asked. */
class Mortal {
  asked = 0;
  deaths = 0;
  private process: ChildProcess | undefined;
  private constructor(
    private readonly folder: string,
    readonly address: string,
  ) {}

  static async born(): Promise<Mortal> {
    const free = createServer().listen(0, "127.0.0.1");
    await once(free, "listening");
    const { port } = free.address() as AddressInfo;
    free.close();
    await once(free, "close");
    const service = new Mortal(mkdtempSync(join(tmpdir(), "recoup-")), `127.0.0.1:${port}`);
    service.start();
    return service;
  }

  start() {
    this.process = spawn(program!, ["serve", "--dev", "--log-level", "error", "--db", join(this.folder, "data"), "--listen", this.address], { stdio: "ignore" });
  }

  async kill() {
    this.deaths++;
    const gone = once(this.process!, "exit");
    this.process!.kill("SIGKILL");
    await gone;
  }

  async end() {
    await this.kill();
    rmSync(this.folder, { recursive: true });
  }

  /** Of each ten requests one finds nobody, one is done and its answer lost, and one is on its way when the service dies. */
  fetch: typeof globalThis.fetch = async (input, init) => {
    switch (++this.asked % 10) {
      case 3:
        await this.kill();
        return fetch(input, init).finally(() => this.start());
      case 5: {
        const asked = fetch(input, init).then(
          (answer) => answer,
          (failed: unknown) => failed,
        );
        await this.kill();
        this.start();
        const answer = await asked;
        if (answer instanceof Response) return answer;
        throw answer;
      }
      case 7:
        await (await fetch(input, init)).arrayBuffer();
        await this.kill();
        this.start();
        throw new TypeError("the answer was lost");
    }
    return fetch(input, init);
  };
}

test("what was acknowledged is there once, whatever becomes of the service and of its answers", { skip: !program && "RECOUP_PROGRAM names no program: make test-clients does" }, async () => {
  const service = await Mortal.born();
  try {
    const patient = { attempts: 1000, first: 10, most: 50, patience: 60_000 };
    const address = `http://${service.address}`;
    await new Recoup({ address, retry: patient }).listPrograms();
    const client = new Recoup({ address, retry: patient, fetch: service.fetch });
    const time = new Date().toISOString();
    for (let i = 0; i < 30; i++) {
      await client.deliver({
        specversion: "1.0", source: "core", id: `e${i}`, type: "transaction.settled", subject: "acct-1", time,
        data: { transaction: `t${i}`, amount: 10000, currency: "USD" },
      });
    }
    const payout = { path: { account: "acct-1" }, body: { amount: 50, currency: "USD" } } as Parameters<Recoup["redeem"]>[0]; // under a key that the client makes up
    for (let i = 0; i < 20; i++) await client.redeem(payout);
    const account = await client.account("acct-1");
    assert.deepEqual([account.balance, account.redeemed, account.version], [30 * 100 - 20 * 50, 20 * 50, 50]);
    const page = (await client.listTransactions({ path: { account: "acct-1" }, query: { limit: 100 } })) as { transactions: { id: string }[] };
    assert.deepEqual(page.transactions.map((t) => t.id).sort(), Array.from({ length: 30 }, (_, i) => `t${i}`).sort());
    assert.ok(service.deaths > 10, `${service.deaths}`);
  } finally {
    await service.end();
  }
});
