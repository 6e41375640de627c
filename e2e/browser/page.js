// What the tests ask of a page: a part of it, what to do there, and with what. It
// says {value}, or {wait} with why there is none yet, or {never} with why there
// will be none; and {named}, the addresses that its links have the browser ask.
function (within, name, ...args) {
  const squeezed = (s) => (s || "").replace(/\s+/g, " ").trim();
  const visible = (e) => e.checkVisibility({ visibilityProperty: true, opacityProperty: true }) && e.getClientRects().length > 0;
  const text = (e) => squeezed(e.innerText === undefined ? e.textContent : e.innerText);
  const quoted = (list) => list.map((s) => JSON.stringify(s)).join(", ");

  const shown = (root, selector) => {
    try {
      return [...root.querySelectorAll(selector)].filter(visible);
    } catch {
      return []; // it is no selector
    }
  };

  // Names, as those who cannot see the page are told them.
  const labelText = (label) => {
    const copy = label.cloneNode(true);
    copy.querySelectorAll("input, select, textarea, button").forEach((e) => e.remove());
    return squeezed(copy.textContent);
  };
  const nameOf = (e) => {
    const by = (e.getAttribute("aria-labelledby") || "").split(/\s+/).filter(Boolean).map((id) => document.getElementById(id));
    if (by.some(Boolean)) return squeezed(by.map((b) => (b ? b.textContent : "")).join(" "));
    if (e.getAttribute("aria-label")) return squeezed(e.getAttribute("aria-label"));
    if (e.matches("input[type=submit], input[type=button], input[type=reset]")) return squeezed(e.value);
    if (e.labels && e.labels.length > 0) return squeezed([...e.labels].map(labelText).join(" "));
    return (e.matches("input, select, textarea") ? "" : text(e)) || squeezed(e.getAttribute("title"));
  };
  const roles = { A: "link", BUTTON: "button", SUMMARY: "summary", SELECT: "select", TEXTAREA: "textarea" };
  const kindOf = (e) =>
    e.getAttribute("role") || (e.tagName === "INPUT" ? e.type : roles[e.tagName] || e.tagName.toLowerCase());
  const described = (e) => squeezed(kindOf(e) + " " + JSON.stringify(nameOf(e).slice(0, 80)));

  // A selector that names one element.
  const selectorOf = (e) => {
    const steps = [];
    for (; e && e !== document.documentElement; e = e.parentElement) {
      if (e.id && document.querySelectorAll("#" + CSS.escape(e.id)).length === 1) {
        steps.unshift("#" + CSS.escape(e.id));
        return steps.join(" > ");
      }
      const alike = e.parentElement ? [...e.parentElement.children].filter((s) => s.tagName === e.tagName) : [e];
      steps.unshift(e.tagName.toLowerCase() + (alike.length > 1 ? `:nth-of-type(${alike.indexOf(e) + 1})` : ""));
    }
    return steps.join(" > ");
  };

  // What can be clicked. A box that has a label is clicked there.
  const clickable =
    "a[href], button, summary, label, input[type=submit], input[type=button], input[type=reset], input[type=image], " +
    "[role=button], [role=link], [role=tab], [role=menuitem], [role=option], [role=switch], [role=checkbox], [role=radio]";
  const target = (root, what) => {
    let found = shown(root, clickable + ", input[type=checkbox], input[type=radio]")
      .filter((e) => !(e.labels && [...e.labels].some(visible)))
      .filter((e) => nameOf(e) === what || text(e) === what);
    found = found.filter((e) => !found.some((o) => o !== e && o.contains(e)));
    if (found.length > 1) {
      return { never: `${found.length} things have that name: ${found.map(selectorOf).join(", ")}; say which by Within or by a selector` };
    }
    const e =
      found[0] ||
      shown(root, what)[0] ||
      shown(root, "*").find((e) => squeezed(e.textContent) === what && ![...e.children].some((c) => squeezed(c.textContent) === what));
    return e ? { element: e } : { wait: "no such thing, neither by its text nor by a selector" };
  };

  // Where to point at it: the middle of its first line.
  const point = (e) => {
    if (e.disabled || e.getAttribute("aria-disabled") === "true") return { wait: described(e) + " is disabled" };
    e.scrollIntoView({ block: "center", inline: "center", behavior: "instant" });
    const box = [...e.getClientRects()].find((r) => r.width > 0 && r.height > 0);
    if (!box) return { wait: described(e) + " has no size" };
    const x = box.left + box.width / 2, y = box.top + box.height / 2;
    const hit = document.elementFromPoint(x, y);
    if (!hit) return { wait: described(e) + " is outside of the window" };
    if (!e.contains(hit) && !(e.labels && [...e.labels].some((l) => l.contains(hit)))) {
      return { wait: `${described(e)} is covered by ${selectorOf(hit)}` };
    }
    return { value: { x, y } };
  };

  const field = (root, label) => {
    const all = [...root.querySelectorAll("input:not([type=hidden]), select, textarea")].filter((e) => e.getClientRects().length > 0);
    let found = all.filter((e) => nameOf(e) === label);
    if (found.length === 0) found = all.filter((e) => nameOf(e).startsWith(label));
    if (found.length === 0) found = shown(root, label).filter((e) => all.includes(e)).slice(0, 1);
    if (found.length > 1) return { never: `${found.length} fields have that label: ${found.map(selectorOf).join(", ")}; say which by Within or by a selector` };
    if (found.length === 0) return { wait: `no such field; there are ${quoted(all.map(nameOf))}` };
    return { element: found[0] };
  };
  const writable = (root, label) => {
    const found = field(root, label);
    const fixed = found.element && (found.element.disabled || found.element.readOnly);
    return fixed ? { wait: described(found.element) + " cannot be changed" } : found;
  };
  const set = (e, value) => {
    const prototype = e.tagName === "SELECT" ? HTMLSelectElement.prototype : HTMLInputElement.prototype;
    e.focus();
    Object.getOwnPropertyDescriptor(prototype, "value").set.call(e, value);
    e.dispatchEvent(new Event("input", { bubbles: true }));
    e.dispatchEvent(new Event("change", { bubbles: true }));
  };

  const root = within ? shown(document, within)[0] : document.body;
  const actions = {
    Settle() {
      return {};
    },
    Drawn() {
      return document.fonts.status === "loaded" ? {} : { wait: "its fonts do not load" };
    },
    At(address) {
      return location.href === address ? {} : { wait: "it is not there" };
    },
    See(what) {
      return text(root).includes(squeezed(what)) ? {} : { wait: "it reads " + JSON.stringify(text(root).slice(0, 2000)) };
    },
    DoNotSee(what) {
      const all = text(root), at = all.indexOf(squeezed(what));
      return at < 0 ? {} : { wait: "it reads … " + JSON.stringify(all.slice(Math.max(0, at - 100), at + 200)) };
    },
    Text(selector) {
      const found = shown(root, selector);
      return found.length > 0 ? { value: text(found[0]) } : { wait: "nothing of that kind is visible" };
    },
    Texts(selector) {
      return { value: shown(root, selector).map(text) };
    },
    Attribute(selector, attribute) {
      const e = root.querySelector(selector);
      return e ? { value: e.getAttribute(attribute) || "" } : { wait: "nothing of that kind is there" };
    },
    Click(what) {
      const { element, ...none } = target(root, what);
      return element ? point(element) : none;
    },
    Fill(label, value) {
      const { element: e, ...none } = writable(root, label);
      if (!e) return none;
      if (e.tagName === "SELECT") {
        const option = [...e.options].find((o) => squeezed(o.label) === value) || [...e.options].find((o) => o.value === value);
        if (!option) return { wait: `no such option; there are ${quoted([...e.options].map((o) => squeezed(o.label)))}` };
        set(e, option.value);
        return { value: "" };
      }
      if (["checkbox", "radio", "file", "submit", "button"].includes(e.type)) return { never: `a ${e.type} is not filled` };
      if (["date", "time", "month", "week", "datetime-local", "color", "range"].includes(e.type)) {
        set(e, value);
        return e.value === value ? { value: "" } : { never: `a ${e.type} takes no such value` };
      }
      e.focus();
      e.select();
      return { value: "type" };
    },
    Check(label, on) {
      const { element: e, ...none } = writable(root, label);
      if (!e) return none;
      if (e.type !== "checkbox" && e.type !== "radio") return { never: described(e) + " is no box" };
      if (e.checked === on) return { value: null };
      return point(visible(e) ? e : [...e.labels].find(visible));
    },
    Value(label) {
      const { element: e, ...none } = field(root, label);
      if (!e) return none;
      return { value: e.tagName === "SELECT" ? squeezed((e.selectedOptions[0] || {}).label) : e.type === "checkbox" || e.type === "radio" ? String(e.checked) : e.value };
    },
    Focused() {
      const e = document.activeElement;
      if (!e || e === document.body || e === document.documentElement) return { value: { what: "", selector: "" } };
      const r = e.getBoundingClientRect();
      return { value: { what: described(e), selector: selectorOf(e), x: r.left + scrollX, y: r.top + scrollY, width: r.width, height: r.height } };
    },
    Blur() {
      document.activeElement.blur();
      return {};
    },
    Focus(selector) {
      document.querySelector(selector).focus({ preventScroll: true, focusVisible: true });
      return {};
    },
    Fits(width) {
      const most = document.scrollingElement.scrollWidth;
      if (most <= width) return { value: { most, outside: [] } };
      const fromRight = getComputedStyle(document.documentElement).direction === "rtl"; // then it is the left that scrolls
      const sticksOut = ({ left, right }) => (fromRight ? left + scrollX < -0.5 : right + scrollX > width + 0.5);
      const scrolled = (e) => e.parentElement && (getComputedStyle(e.parentElement).overflowX !== "visible" || scrolled(e.parentElement));
      const outside = [...document.body.querySelectorAll("*")].filter((e) => visible(e) && sticksOut(e.getBoundingClientRect()) && !scrolled(e));
      const innermost = outside.filter((e) => !outside.some((o) => o !== e && e.contains(o)));
      return { value: { most, outside: innermost.slice(0, 10).map(selectorOf) } };
    },
  };

  // What links have the browser ask without telling of it, or would in a window.
  const asking = /(^|\s)(preconnect|dns-prefetch|icon|apple-touch-icon|manifest|search)(\s|$)/i;
  const documents = (d) => [d, ...[...d.querySelectorAll("iframe")].flatMap((f) => (f.contentDocument ? documents(f.contentDocument) : []))];
  const named = documents(document)
    .flatMap((d) => [...d.querySelectorAll("link[rel][href]")])
    .filter((e) => asking.test(e.rel))
    .map((e) => e.href);

  if (document.readyState !== "complete") return { named, wait: "the page does not load" };
  if (!root) return { named, wait: `nothing visible is ${within || "body"}` };
  return { named, ...actions[name](...args) };
}
