/** When a request is sent again. Times are in milliseconds. */
export interface Retry {
  /** How often a request is made at most; 1 makes each once. */
  attempts: number;
  /** Before the attempt after the nth, the pause is drawn from zero to first · 2ⁿ⁻¹. */
  first: number;
  /** That is at most this; what the service asks for by Retry-After comes on top. */
  most: number;
  /** The longest Retry-After that is waited for; if the service asks for more, its answer is thrown. */
  patience: number;
  /** How long an attempt may take. */
  timeout: number;
}

export const defaultRetry: Readonly<Retry> = { attempts: 5, first: 200, most: 10_000, patience: 60_000, timeout: 60_000 };

/** How much is read of an answer, in bytes. */
const mostAnswer = 64 << 20;

const keyHeader = "Idempotency-Key";

/**
 * Operations of which each request does something more: sent again after an answer was lost,
 * they might be done twice. The document has them as x-idempotent: false.
 */
export const once: readonly RegExp[] = [/^POST .*\/v1\/webhooks$/, /^POST .*\/v1\/webhooks\/[^/]+\/secret$/];

/** Operations that take an Idempotency-Key. */
export const keyed: readonly RegExp[] = [/^POST .*\/v1\/(accounts|reviews)\//];

const is = (list: readonly RegExp[], request: Request) => list.some((one) => one.test(`${request.method} ${new URL(request.url).pathname}`));

/** What an answer says about trying again; nothing if no answer came. */
export interface Failure {
  status: number;
  code: string;
  retryAfter: number;
}

/** How long to wait before a request is made again that failed, or undefined: it is not. */
export function after(retry: Retry, attempt: number, once: boolean, failure?: Failure): number | undefined {
  if (attempt >= retry.attempts) return undefined;
  const asked = failure?.retryAfter ?? 0;
  if (failure?.status === 408 || failure?.status === 429) {
    // Nothing was done.
  } else if (once || failure?.code === "account_damaged" || (failure && ![423, 500, 502, 503, 504].includes(failure.status))) {
    return undefined; // a damaged account somebody has to mend first
  }
  if (asked > retry.patience) return undefined;
  return asked + Math.random() * Math.min(retry.most, retry.first * 2 ** Math.min(attempt - 1, 20));
}

/** Waits; it throws if the signal ends first. */
export type Sleep = (ms: number, signal?: AbortSignal) => Promise<void>;

export const sleep: Sleep = (ms, signal) =>
  new Promise((done, failed) => {
    const stop = () => {
      clearTimeout(timer);
      failed(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      done();
    }, ms);
    signal?.addEventListener("abort", stop, { once: true });
  });

/**
 * Makes each request again where that makes sense. Nothing is done twice by it: the service
 * recognises events, redemptions and decisions that it has, and an operation of which it would
 * not is only sent again where the answer was that nothing was done.
 */
export function retrying(fetch: typeof globalThis.fetch, retry: Retry, wait: Sleep): typeof globalThis.fetch {
  return async (input, init) => {
    const request = new Request(input, init);
    if (is(keyed, request) && !request.headers.get(keyHeader)) request.headers.set(keyHeader, crypto.randomUUID());
    for (let attempt = 1; ; attempt++) {
      let answer: Response | undefined;
      let failed: unknown;
      try {
        answer = await whole(await fetch(request.clone(), { signal: AbortSignal.any([request.signal, AbortSignal.timeout(retry.timeout)]) }));
      } catch (e) {
        failed = e;
      }
      if (answer?.ok || request.signal.aborted) return finished(answer, failed);
      const pause = after(retry, attempt, is(once, request), answer && (await failureOf(answer)));
      if (pause === undefined) return finished(answer, failed);
      await wait(pause, request.signal);
    }
  };
}

function finished(answer: Response | undefined, failed: unknown): Response {
  if (answer) return answer;
  throw failed;
}

/** Reads an answer to its end, so that one that breaks off is none. */
async function whole(answer: Response): Promise<Response> {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  const reader = answer.body?.getReader();
  for (let part = await reader?.read(); part?.value; part = await reader!.read()) {
    parts.push(part.value);
    if ((size += part.value.length) > mostAnswer) throw new RangeError(`the answer has more than ${mostAnswer} bytes`);
  }
  const empty = [204, 205, 304].includes(answer.status);
  return new Response(empty ? null : new Blob(parts), { status: answer.status, statusText: answer.statusText, headers: answer.headers });
}

async function failureOf(answer: Response): Promise<Failure> {
  const problem = problemOf(await answer.clone().text());
  return { status: answer.status, code: problem.code ?? "", retryAfter: retryAfter(answer.headers) };
}

/** The problem document of an answer, or an empty one. */
export function problemOf(text: string): Partial<{ code: string; title: string; detail: string; member: string; proposal: number }> {
  try {
    const problem = JSON.parse(text);
    if (problem !== null && typeof problem.code === "string") return problem;
  } catch {
    // It is somebody else's answer.
  }
  return {};
}

export function retryAfter(headers: Headers): number {
  const text = headers.get("Retry-After") ?? "";
  return /^[0-9]{1,9}$/.test(text) ? Number(text) * 1000 : 0;
}
