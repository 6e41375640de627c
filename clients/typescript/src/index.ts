/**
 * A client of Recoup's API. Types and methods are generated from the document that the service
 * answers with at /openapi.json. What is here besides is what no generator knows: when a request
 * is sent again (Retry), events in batches (deliver), and whether a notice is Recoup's
 * (verifyNotice).
 *
 * Amounts are integers in minor units, times texts in RFC 3339.
 */
import { createClient, createConfig } from "./api/client/index.js";
import { Operations } from "./api/sdk.gen.js";
import type { Account, CloudEvent, EventOutcome } from "./api/types.gen.js";
import { after, defaultRetry, problemOf, retryAfter, retrying, sleep, type Retry, type Sleep } from "./retry.js";

export type * from "./api/types.gen.js";
export { NoticeError, tolerance, verifyNotice, type Notification } from "./notices.js";
export { defaultRetry, type Retry } from "./retry.js";

/** An answer that is none of success. code is what to go by; it is empty where the answer is not the service's, such as a proxy's. */
export class RecoupError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    readonly title: string,
    readonly detail: string,
    /** The parameter or member at fault, where there is one. */
    readonly member: string | undefined,
    /** The number of the proposal that the request became. */
    readonly proposal: number | undefined,
    /** How long, in milliseconds, the service wants to be left alone. */
    readonly retryAfter: number,
  ) {
    super(`${code || status}: ${title} ${detail}`.trim());
    this.name = "RecoupError";
  }
}

/** Events were not applied, whose accounts somebody else had locked all the time. outcomes has what became of the first events. */
export class Undelivered extends Error {
  constructor(
    locked: number,
    readonly outcomes: EventOutcome[],
  ) {
    super(`${locked} events: their accounts stayed locked`);
    this.name = "Undelivered";
  }
}

export interface Options {
  /** Of the service, such as https://recoup.example.com. */
  address: string;
  /** An API key; none for a service that is open (--dev). */
  key?: string;
  retry?: Partial<Retry>;
  /** Makes the requests; that of the platform by default. */
  fetch?: typeof globalThis.fetch;
  /** Waits between attempts; for tests. */
  sleep?: Sleep;
}

const batch = 1000;

/** Asks one service. */
export class Recoup extends Operations {
  readonly #retry: Retry;
  readonly #sleep: Sleep;

  constructor(options: Options) {
    const address = URL.canParse(options.address) ? new URL(options.address) : undefined;
    if (!address || !/^https?:$/.test(address.protocol) || address.search || address.hash) {
      throw new TypeError(`the address of the service: expected one such as https://recoup.example.com, found ${JSON.stringify(options.address)}`);
    }
    const retry = { ...defaultRetry, ...options.retry };
    const wait = options.sleep ?? sleep;
    const client = createClient(
      createConfig({
        baseUrl: options.address.replace(/\/$/, ""),
        auth: options.key,
        redirect: "manual",
        throwOnError: true,
        fetch: retrying(options.fetch ?? globalThis.fetch, retry, wait),
      }),
    );
    client.interceptors.request.use((request, { path }) => {
      for (const [name, value] of Object.entries(path ?? {})) {
        if (["", ".", ".."].includes(String(value))) throw new TypeError(`${name}: expected an id, found ${JSON.stringify(value)}`); // it would be another path
      }
      return request;
    });
    client.interceptors.error.use((error, response: Response | undefined) => {
      if (!response) return error;
      const { code = "", title = response.statusText, detail = "", member, proposal } = problemOf(typeof error === "string" ? error : JSON.stringify(error));
      return new RecoupError(response.status, code, title, detail, member, proposal, retryAfter(response.headers));
    });
    super({ client });
    this.#retry = retry;
    this.#sleep = wait;
  }

  /** The account as of now. */
  async account(account: string): Promise<Account> {
    return (await this.getAccount({ path: { account } })) as Account;
  }

  /**
   * Sends events in batches, and returns what became of each, in their order. An event that is
   * refused is an outcome, not an error. Those of accounts that are locked are sent again, and
   * Undelivered is thrown where they stay so; all may then be sent again as they are, since the
   * service recognises what it has.
   */
  async deliver(...events: CloudEvent[]): Promise<EventOutcome[]> {
    const outcomes: EventOutcome[] = [];
    for (let start = 0; start < events.length; start += batch) {
      const [some, locked] = await this.#deliver(events.slice(start, start + batch));
      outcomes.push(...some);
      if (locked) throw new Undelivered(locked, outcomes);
    }
    return outcomes;
  }

  /** Sends a batch, and again what of it was locked; returns how many events stayed so. */
  async #deliver(events: CloudEvent[]): Promise<[EventOutcome[], number]> {
    const outcomes: EventOutcome[] = [];
    let left = events.map((_, place) => place);
    for (let attempt = 1; ; attempt++) {
      const some: unknown = left.map((place) => events[place]!);
      const answer = (await this.postEvents({
        body: some as CloudEvent, // of the content types of a body the generator has the first
        headers: { "Content-Type": "application/cloudevents-batch+json" },
      })) as EventOutcome[];
      if (answer.length !== left.length) throw new Error(`POST /v1/events: expected ${left.length} outcomes, found ${answer.length}`);
      left.forEach((place, i) => (outcomes[place] = answer[i]!));
      left = left.filter((place) => outcomes[place]!.outcome === "failed" && outcomes[place]!.code === "account_locked");
      const pause = left.length ? after(this.#retry, attempt, false, { status: 423, code: "", retryAfter: 0 }) : undefined;
      if (pause === undefined) return [outcomes, left.length];
      await this.#sleep(pause);
    }
  }
}
