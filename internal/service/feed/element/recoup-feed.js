// <recoup-feed account="acct-1" token-url="/me/feed-token"></recoup-feed>
//
// Shows the feed of an account of Recoup: what each purchase earned, whether it can be used
// yet, what was taken back, and why. It asks the service that this script came from, and
// nothing else; the token comes from the page: its property token, a function getToken that
// returns one or a promise of one, or the attribute token-url, an address of the page's own
// backend that answers {"token": "…"}. Tokens live for minutes, so one that has expired is
// asked for again.
(() => {
  "use strict";

  const own = document.currentScript ? new URL(document.currentScript.src).origin : "";

  // Texts of the element by language; the sentence why of each entry is the service's. A
  // page puts others in their place by slots: heading, empty, loading, failed, retry, more.
  const texts = {
    en: {
      heading: "Your rewards", available: "Available", pending: "Pending", reserved: "Set aside", owed: "Owed",
      loading: "Loading your rewards…", empty: "No rewards yet. They appear here after your first purchase.",
      failed: "Your rewards could not be loaded.", retry: "Try again", more: "Show more", loaded: "{n} more entries", whole: "That is all",
      purchase: "Purchase", payout: "Payout", adjustment: "Correction", bonus: "Bonus", expiry: "Expiry", hold: "Not final yet",
      states: {
        pending: "Pending", available: "Available", partly_taken_back: "Partly taken back", taken_back: "Taken back", none: "No reward",
        reserved: "Set aside", paid: "Paid out", returned: "Came back", released: "Not paid out", expired: "Expired",
      },
    },
    de: {
      heading: "Deine Prämien", available: "Verfügbar", pending: "Ausstehend", reserved: "Vorgemerkt", owed: "Offen",
      loading: "Deine Prämien werden geladen…", empty: "Noch keine Prämien. Sie erscheinen hier nach deinem ersten Einkauf.",
      failed: "Deine Prämien konnten nicht geladen werden.", retry: "Noch einmal versuchen", more: "Mehr anzeigen", loaded: "{n} weitere Einträge", whole: "Das ist alles",
      purchase: "Einkauf", payout: "Auszahlung", adjustment: "Berichtigung", bonus: "Bonus", expiry: "Verfall", hold: "Noch nicht endgültig",
      states: {
        pending: "Ausstehend", available: "Verfügbar", partly_taken_back: "Teilweise zurückgenommen", taken_back: "Zurückgenommen", none: "Keine Prämie",
        reserved: "Vorgemerkt", paid: "Ausgezahlt", returned: "Zurückgekommen", released: "Nicht ausgezahlt", expired: "Verfallen",
      },
    },
    fr: {
      heading: "Vos récompenses", available: "Disponible", pending: "En attente", reserved: "Réservé", owed: "Dû",
      loading: "Chargement de vos récompenses…", empty: "Pas encore de récompenses. Elles apparaîtront ici après votre premier achat.",
      failed: "Vos récompenses n’ont pas pu être chargées.", retry: "Réessayer", more: "Afficher plus", loaded: "{n} entrées de plus", whole: "C’est tout",
      purchase: "Achat", payout: "Versement", adjustment: "Correction", bonus: "Bonus", expiry: "Expiration", hold: "Pas encore définitif",
      states: {
        pending: "En attente", available: "Disponible", partly_taken_back: "Repris en partie", taken_back: "Repris", none: "Pas de récompense",
        reserved: "Réservé", paid: "Versé", returned: "Revenu", released: "Non versé", expired: "Expiré",
      },
    },
    es: {
      heading: "Tus recompensas", available: "Disponible", pending: "Pendiente", reserved: "Reservado", owed: "A deber",
      loading: "Cargando tus recompensas…", empty: "Aún no hay recompensas. Aparecerán aquí tras tu primera compra.",
      failed: "No se pudieron cargar tus recompensas.", retry: "Reintentar", more: "Mostrar más", loaded: "{n} entradas más", whole: "Eso es todo",
      purchase: "Compra", payout: "Pago", adjustment: "Corrección", bonus: "Bono", expiry: "Caducidad", hold: "Aún no definitivo",
      states: {
        pending: "Pendiente", available: "Disponible", partly_taken_back: "Retirado en parte", taken_back: "Retirado", none: "Sin recompensa",
        reserved: "Reservado", paid: "Pagado", returned: "Devuelto", released: "No pagado", expired: "Caducado",
      },
    },
  };

  const languageOf = (wanted) => {
    const tag = String(wanted || "").toLowerCase().split("-")[0];
    return texts[tag] ? tag : "en";
  };

  const style = new CSSStyleSheet();
  style.replaceSync(`
    :host {
      --_text: var(--recoup-text, #1b1f24); --_quiet: var(--recoup-quiet, #57606a); --_surface: var(--recoup-surface, #ffffff);
      --_line: var(--recoup-line, #d0d7de); --_accent: var(--recoup-accent, #0b5cad); --_on-accent: var(--recoup-on-accent, #ffffff);
      --_good: var(--recoup-good, #116329); --_wait: var(--recoup-wait, #7a4d05); --_bad: var(--recoup-bad, #a40e26);
      --_radius: var(--recoup-radius, 10px); --_space: var(--recoup-space, 16px);
      display: block; box-sizing: border-box; color: var(--_text); background: var(--_surface);
      font: var(--recoup-font, 16px/1.45 system-ui, sans-serif); border: 1px solid var(--_line); border-radius: var(--_radius); padding: var(--_space);
      color-scheme: light;
    }
    :host([hidden]) { display: none; }
    :host([theme="dark"]) {
      --_text: var(--recoup-text, #e6edf3); --_quiet: var(--recoup-quiet, #9da7b3); --_surface: var(--recoup-surface, #14181d);
      --_line: var(--recoup-line, #3d444d); --_accent: var(--recoup-accent, #79b8ff); --_on-accent: var(--recoup-on-accent, #0b1015);
      --_good: var(--recoup-good, #56d364); --_wait: var(--recoup-wait, #e3b341); --_bad: var(--recoup-bad, #ff8f87); color-scheme: dark;
    }
    @media (prefers-color-scheme: dark) {
      :host(:not([theme="light"])) {
        --_text: var(--recoup-text, #e6edf3); --_quiet: var(--recoup-quiet, #9da7b3); --_surface: var(--recoup-surface, #14181d);
        --_line: var(--recoup-line, #3d444d); --_accent: var(--recoup-accent, #79b8ff); --_on-accent: var(--recoup-on-accent, #0b1015);
        --_good: var(--recoup-good, #56d364); --_wait: var(--recoup-wait, #e3b341); --_bad: var(--recoup-bad, #ff8f87); color-scheme: dark;
      }
    }
    h2 { font-size: 1.15em; margin: 0 0 calc(var(--_space) / 2); }
    dl { display: flex; flex-wrap: wrap; gap: 4px calc(var(--_space) * 1.5); margin: 0 0 var(--_space); }
    dt { color: var(--_quiet); font-size: .85em; } dd { margin: 0; font-size: 1.3em; font-weight: 600; font-variant-numeric: tabular-nums; }
    ul { list-style: none; margin: 0; padding: 0; }
    li { border-top: 1px solid var(--_line); padding: calc(var(--_space) * .75) 0; display: grid; grid-template-columns: 1fr auto; gap: 2px var(--_space); }
    .what { font-weight: 600; overflow-wrap: anywhere; } .amount { font-weight: 600; text-align: end; font-variant-numeric: tabular-nums; white-space: nowrap; }
    .when { color: var(--_quiet); font-size: .85em; } .state { font-size: .85em; font-weight: 600; text-align: end; color: var(--_quiet); }
    .why { grid-column: 1 / -1; margin: 0; font-size: .95em; overflow-wrap: anywhere; }
    .state[data-state="available"], .state[data-state="paid"], .state[data-state="returned"] { color: var(--_good); }
    .state[data-state="pending"], .state[data-state="reserved"] { color: var(--_wait); }
    .state[data-state="partly_taken_back"], .state[data-state="taken_back"], .state[data-state="expired"] { color: var(--_bad); }
    [data-state="taken_back"] > .amount, [data-state="expired"] > .amount, [data-state="none"] > .amount { color: var(--_quiet); }
    li:focus { outline: none; } li:focus-visible, button:focus-visible { outline: 3px solid var(--_accent); outline-offset: 2px; border-radius: 4px; }
    button { font: inherit; font-weight: 600; color: var(--_on-accent); background: var(--_accent); border: 0; border-radius: calc(var(--_radius) * .7); padding: 10px 18px; min-height: 44px; cursor: pointer; }
    button[aria-disabled="true"] { opacity: .7; cursor: progress; }
    .note { margin: var(--_space) 0 0; } [hidden] { display: none !important; }
    .seen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
    @media (forced-colors: active) { button { border: 1px solid; } }
  `);

  const make = (name, attributes = {}, ...inside) => {
    const e = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) e.setAttribute(key, value);
    e.append(...inside);
    return e;
  };

  // Refused is an answer that says no, with the code that says why.
  class Refused extends Error {
    constructor(status, code) {
      super(code);
      Object.assign(this, { status, code });
    }
  }

  class RecoupFeed extends HTMLElement {
    static observedAttributes = ["account", "lang", "service", "page-size", "token-url"];

    #root = this.attachShadow({ mode: "open" });
    #token = "";
    #next = null; // the cursor of the next page
    #run = 0; // counts loads from the beginning; what an earlier one brings is too late
    #busy = false;
    #known = new Set(); // ids of entries that are shown
    #parts = {};
    #planned = false;
    #getToken = null;

    constructor() {
      super();
      this.#root.adoptedStyleSheets = [style];
    }

    connectedCallback() {
      for (const name of ["token", "getToken"]) { // a page may have set them before this script came
        if (Object.hasOwn(this, name)) {
          const value = this[name];
          delete this[name];
          this[name] = value;
        }
      }
      this.#plan();
    }
    disconnectedCallback() { this.#run++; }
    attributeChangedCallback(name, before, after) { if (before !== after) this.#plan(); }

    // token is a token of the account; setting it shows the feed anew if there was none.
    get token() { return this.#token; }
    set token(token) {
      const first = this.#token === "";
      this.#token = String(token || "");
      if (first) this.#plan();
    }

    // getToken is a function that returns a token, or a promise of one.
    get getToken() { return this.#getToken; }
    set getToken(f) {
      this.#getToken = f;
      this.#plan();
    }

    // reload shows the feed from its beginning, as it is now.
    reload() { return this.#begin(); }

    // #plan begins anew once, however many attributes change at a time.
    #plan() {
      if (this.#planned || !this.isConnected) return;
      this.#planned = true;
      queueMicrotask(() => {
        this.#planned = false;
        if (this.isConnected) this.#begin();
      });
    }

    get #language() { return languageOf(this.getAttribute("lang") || this.closest("[lang]")?.lang || navigator.language); }
    // What the numbers are written by: the page's own variant of the language, such as de-CH.
    get #locale() {
      const wanted = this.getAttribute("lang") || this.closest("[lang]")?.lang || navigator.language;
      try {
        return languageOf(wanted) === String(wanted).toLowerCase().split("-")[0] ? Intl.getCanonicalLocales(wanted)[0] : "en";
      } catch {
        return this.#language;
      }
    }

    #draw() {
      const t = texts[this.#language], slot = (name) => make("slot", { name }, t[name]);
      const p = (this.#parts = {
        sums: make("dl", { part: "sums", hidden: "" }),
        list: make("ul", { part: "list", role: "list", "aria-labelledby": "heading" }),
        loading: make("p", { part: "loading", class: "note", role: "status" }),
        empty: make("p", { part: "empty", class: "note", hidden: "" }, slot("empty")),
        failed: make("div", { part: "failed", class: "note", role: "alert" }),
        more: make("button", { part: "more", type: "button", hidden: "" }, slot("more")),
        said: make("div", { class: "seen", role: "status" }),
      });
      p.more.addEventListener("click", () => this.#load(this.#run));
      const frame = make("section", { part: "frame", lang: this.#language, "aria-labelledby": "heading" },
        make("h2", { part: "heading", id: "heading" }, slot("heading")), p.sums, p.list, p.empty, p.loading, p.failed, make("div", { class: "note" }, p.more), p.said);
      this.#root.replaceChildren(frame);
    }

    async #begin() {
      this.#draw();
      this.#next = null;
      this.#known.clear();
      this.#busy = false;
      const account = this.getAttribute("account");
      if (!account || !(this.#token || this.getToken || this.getAttribute("token-url"))) return; // the page is not done yet
      await this.#load(++this.#run);
    }

    // #load shows the next page, and says so to who cannot see it.
    async #load(run) {
      if (this.#busy) return;
      const p = this.#parts, t = texts[this.#language], first = this.#next === null;
      this.#busy = true;
      p.list.setAttribute("aria-busy", "true");
      p.more.setAttribute("aria-disabled", "true");
      p.failed.replaceChildren();
      if (first) p.loading.replaceChildren(make("slot", { name: "loading" }, t.loading));
      try {
        const page = await this.#page();
        if (run !== this.#run) return;
        const added = this.#show(page);
        this.#next = page.next;
        p.more.hidden = page.next === null;
        p.empty.hidden = this.#known.size > 0;
        if (!first) {
          p.said.textContent = t.loaded.replace("{n}", added.length) + (page.next === null ? ". " + t.whole : "");
          if (added.length > 0) added[0].focus(); // the reader goes on where the list went on
        }
        this.dispatchEvent(new CustomEvent("recoup-loaded", { detail: { entries: added.length, more: page.next !== null } }));
      } catch (error) {
        if (run !== this.#run) return;
        this.#fail(error, run);
      } finally {
        if (run === this.#run) {
          this.#busy = false;
          p.loading.replaceChildren();
          p.list.removeAttribute("aria-busy");
          p.more.removeAttribute("aria-disabled");
        }
      }
    }

    #fail(error, run) {
      const t = texts[this.#language];
      const retry = make("button", { part: "retry", type: "button" }, make("slot", { name: "retry" }, t.retry));
      retry.addEventListener("click", async () => {
        await this.#load(run);
        if (run === this.#run && !retry.isConnected) (this.#parts.list.querySelector("li") || this.#parts.failed.querySelector("button"))?.focus();
      });
      this.#parts.more.hidden = true;
      this.#parts.failed.replaceChildren(make("p", {}, make("slot", { name: "failed" }, t.failed)), retry);
      this.dispatchEvent(new CustomEvent("recoup-failed", { detail: { code: error.code || "unreachable", status: error.status || 0 } }));
    }

    // #page asks for the next page, with a new token if the one at hand has expired.
    async #page() {
      if (!this.#token) await this.#renew();
      try {
        return await this.#ask();
      } catch (error) {
        if (!(error instanceof Refused) || error.status !== 401 || !(this.getToken || this.getAttribute("token-url"))) throw error;
        await this.#renew();
        return this.#ask();
      }
    }

    async #renew() {
      const from = this.getAttribute("token-url");
      if (this.getToken) {
        this.#token = String(await this.getToken());
      } else if (from) {
        const answer = await fetch(from, { method: "POST", credentials: "same-origin", headers: { Accept: "application/json" } });
        if (!answer.ok) throw new Refused(answer.status, "no_token");
        this.#token = String((await answer.json()).token);
      }
    }

    async #ask() {
      const service = this.getAttribute("service") || own;
      const at = new URL(`/v1/accounts/${encodeURIComponent(this.getAttribute("account"))}/feed`, service || location.origin);
      at.searchParams.set("lang", this.#language);
      at.searchParams.set("limit", String(Math.min(100, Math.max(1, parseInt(this.getAttribute("page-size"), 10) || 20))));
      if (this.#next !== null) at.searchParams.set("cursor", this.#next);
      const answer = await fetch(at, { headers: { Authorization: "Bearer " + this.#token }, credentials: "omit", cache: "no-store", referrerPolicy: "no-referrer" });
      if (answer.ok) return answer.json();
      let code = "refused";
      try {
        code = (await answer.json()).code || code;
      } catch {
        // whoever answered is not the service
      }
      throw new Refused(answer.status, code);
    }

    #show(page) {
      const t = texts[this.#language], p = this.#parts;
      const sums = [[page.available < 0 ? t.owed : t.available, Math.abs(page.available), "available"], [t.pending, page.pending, "pending"], [t.reserved, page.reserved, "reserved"]];
      p.sums.replaceChildren(...sums.filter(([, value], i) => i < 2 || value !== 0)
        .map(([name, value, part]) => make("div", { part: "sum sum-" + part }, make("dt", {}, name), make("dd", {}, this.#money(value, page.reward_unit, page.reward_decimals)))));
      p.sums.hidden = false;
      const added = [];
      for (const entry of page.entries) {
        if (this.#known.has(entry.id)) continue; // it came again, as the list went on meanwhile
        this.#known.add(entry.id);
        added.push(this.#entry(entry, page));
      }
      p.list.append(...added);
      return added;
    }

    #entry(entry, page) {
      const t = texts[this.#language];
      const name = entry.purchase?.merchant || t[entry.kind] || entry.kind;
      const when = new Intl.DateTimeFormat(this.#locale, { dateStyle: "medium" }).format(new Date(entry.at));
      const state = make("span", { class: "state", part: "state state-" + entry.state, "data-state": entry.state }, t.states[entry.state] || entry.state);
      return make("li", { part: "entry entry-" + entry.kind, "data-id": entry.id, "data-state": entry.state, tabindex: "-1" },
        make("span", { class: "what", part: "name" }, name),
        make("span", { class: "amount", part: "amount" }, this.#amount(entry, page)),
        make("time", { class: "when", part: "time", datetime: entry.at }, when), state,
        make("p", { class: "why", part: "why" }, entry.why));
    }

    // #amount is what an entry is about: what it adds or would add, without a sign where all
    // of it was taken back.
    #amount(entry, page) {
      if (entry.state === "none" || (entry.kind === "purchase" && entry.pending === 0 && entry.available === 0 && entry.taken_back === 0)) return "";
      let value = entry.pending + entry.available;
      if (entry.kind === "hold") value = entry.pending;
      if (entry.state === "taken_back" && entry.kind === "purchase") value = 0;
      if (entry.state === "returned" || entry.state === "released") return "";
      const text = this.#money(Math.abs(value), page.reward_unit, page.reward_decimals);
      return entry.kind === "hold" || value === 0 ? text : (value > 0 ? "+" : "\u2212") + text;
    }

    // #money writes minor units from their digits: amounts are never fractions here.
    #money(minor, unit, decimals) {
      const digits = String(Math.abs(minor)).padStart(decimals + 1, "0");
      const exact = decimals > 0 ? digits.slice(0, -decimals) + "." + digits.slice(-decimals) : digits;
      const shape = { minimumFractionDigits: decimals, maximumFractionDigits: decimals };
      const text = /^[A-Z]{3}$/.test(unit) && known(unit)
        ? new Intl.NumberFormat(this.#locale, { style: "currency", currency: unit, currencyDisplay: "narrowSymbol", ...shape }).format(exact)
        : new Intl.NumberFormat(this.#locale, shape).format(exact) + "\u00a0" + unit;
      return minor < 0 ? "\u2212" + text : text;
    }
  }

  // known tells money from points whose name has three letters.
  const known = (unit) => new Set(Intl.supportedValuesOf?.("currency") || [unit]).has(unit);

  if (!customElements.get("recoup-feed")) customElements.define("recoup-feed", RecoupFeed);
})();
