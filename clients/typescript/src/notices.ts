/** How far, in seconds, the time of a notice may be from the receiver's. */
export const tolerance = 300;

/** Why a notice is not taken. Answer it with 400, and do nothing. */
export class NoticeError extends Error {
  constructor(
    /** signature: it is not signed with the secret; time: it is of another time, perhaps recorded and sent again. */
    readonly reason: "signature" | "time" | "malformed",
    message: string,
  ) {
    super(message);
    this.name = "NoticeError";
  }
}

/** A notice. id is the same whenever it is sent: remember those that were done. */
export interface Notification {
  id: string;
  type: string;
  timestamp: string;
  data: Record<string, unknown>;
}

const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

const bytesOf = (text: string): Uint8Array<ArrayBuffer> | undefined =>
  base64.test(text) ? Uint8Array.from(atob(text), (c) => c.charCodeAt(0)) : undefined;

/**
 * The notice of a request with these headers and this body, byte for byte as it came, if it was
 * signed with the endpoint's secret (whsec_…) at most the tolerance from now (in seconds since
 * 1970). Otherwise it throws a NoticeError. Signatures are compared in constant time, by
 * WebCrypto.
 */
export async function verifyNotice(
  headers: Headers | Record<string, string | string[] | undefined>,
  body: Uint8Array | string,
  secret: string,
  now: number = Date.now() / 1000,
): Promise<Notification> {
  const key = secret.startsWith("whsec_") ? bytesOf(secret.slice("whsec_".length)) : undefined;
  if (!key?.length) throw new NoticeError("malformed", "the secret: expected whsec_ and base64, as it was shown when the endpoint was added");
  const header = (name: string) => {
    if (headers instanceof Headers) return headers.get(name) ?? "";
    return String(Object.entries(headers).find(([n]) => n.toLowerCase() === name)?.[1] ?? "");
  };
  const id = header("webhook-id");
  const timestamp = header("webhook-timestamp");
  if (!/^-?[0-9]{1,19}$/.test(timestamp)) throw new NoticeError("malformed", "webhook-timestamp: expected seconds since 1970");
  if (!(Math.abs(now - Number(timestamp)) <= tolerance)) throw new NoticeError("time", "the notice is not of this time");
  const sent = typeof body === "string" ? new TextEncoder().encode(body) : body;
  const prefix = new TextEncoder().encode(`${id}.${timestamp}.`);
  const signed = new Uint8Array(prefix.length + sent.length);
  signed.set(prefix);
  signed.set(sent, prefix.length);
  const mac = await crypto.subtle.importKey("raw", key, { name: "HMAC", hash: "SHA-256" }, false, ["verify"]);
  for (const one of header("webhook-signature").split(" ")) {
    const got = one.startsWith("v1,") ? bytesOf(one.slice("v1,".length)) : undefined;
    if (got && (await crypto.subtle.verify("HMAC", mac, got, signed))) {
      const { type, timestamp, data } = JSON.parse(new TextDecoder().decode(sent));
      return { id, type, timestamp, data };
    }
  }
  throw new NoticeError("signature", "no signature of the notice is right");
}
