// The keyboard, for who works in the console all day. Whatever a key does is a link, a
// button or a field of the page that has data-key: without this script all of it is there.

document.documentElement.classList.add("scripted");

const words = Object.fromEntries([...document.getElementById("key-words").content.querySelectorAll("[data-word]")].map((e) => [e.dataset.word, e.textContent]));
const single = () => localStorage.getItem("recoup-keys") !== "off";
const label = (e) => (e.dataset.label || e.getAttribute("aria-label") || e.labels?.[0]?.textContent || e.textContent).trim().replace(/\s+/g, " ");
const keyed = () => [...document.querySelectorAll("[data-key]")].filter((e) => !e.disabled && (e.checkVisibility() || e.closest("details")));

// What a key stands for: a link is followed, a button pressed, a field gets the focus.
function use(e) {
  const fold = e.closest("details");
  if (fold) fold.open = true;
  if (e.matches("input:not([type=radio]), select, textarea")) e.focus();
  else e.click();
}

// Rows of a list: one is where the focus is.
const rows = () => [...document.querySelectorAll("[data-row]")];
function walk(step) {
  const list = rows();
  if (!list.length) return false;
  const at = list.findIndex((r) => r.contains(document.activeElement));
  const next = list[at < 0 ? 0 : Math.min(Math.max(at + step, 0), list.length - 1)];
  next.querySelector("th a").focus();
  next.scrollIntoView({ block: "nearest" });
  return true;
}

// Decisions: a number chooses one, brings the first of its reasons, and Enter decides.
const decide = document.querySelector("form[data-decide]");
function chosen(way) {
  const preset = decide.querySelector("#preset");
  for (const group of preset.querySelectorAll("optgroup")) group.hidden = group.disabled = group.dataset.action !== way.dataset.action;
  const option = preset.selectedOptions[0];
  if (!option || !option.value || option.parentElement.disabled) preset.value = preset.querySelector("optgroup:not([hidden]) option")?.value || "";
}
if (decide) {
  const ways = [...decide.querySelectorAll("input[name=choice]")];
  ways.forEach((way, i) => {
    way.addEventListener("change", () => chosen(way));
    if (i < 9) {
      way.dataset.key = String(i + 1);
      const mark = document.createElement("kbd");
      mark.textContent = i + 1;
      mark.setAttribute("aria-hidden", "true");
      way.labels[0].append(" ", mark);
    }
  });
  const begun = decide.querySelector("input[name=choice]:checked");
  if (begun) chosen(begun);
}

function press(key) {
  if (key === "j" || key === "k") if (walk(key === "j" ? 1 : -1)) return true;
  if (key === "x") {
    const box = document.activeElement.closest("[data-row]")?.querySelector("input[type=checkbox]");
    if (box) box.click();
    return Boolean(box);
  }
  const e = keyed().find((e) => e.dataset.key === key);
  if (e) {
    use(e);
    if (e.name === "choice" && e.value === "link:") decide.querySelector("#other").focus();
    else if (e.name === "choice") decide.querySelector("[data-key=e]").focus();
    return true;
  }
  if (key === "e" || key === "o") {
    const link = document.activeElement.closest("[data-row]")?.querySelector("th a");
    if (link) link.click();
    return Boolean(link);
  }
  return false;
}

document.addEventListener("keydown", (event) => {
  if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "k") {
    event.preventDefault();
    palette();
    return;
  }
  const typing = event.target.closest("input:not([type=radio]):not([type=checkbox]), textarea, select, dialog");
  if (typing || event.ctrlKey || event.metaKey || event.altKey || !single()) return;
  if (event.key === "?") {
    event.preventDefault();
    help();
  } else if (press(event.key)) event.preventDefault();
});

function dialogOf(kind, title) {
  const box = document.createElement("dialog");
  box.className = kind;
  const head = document.createElement("h2");
  head.id = kind + "-title";
  head.textContent = title;
  box.setAttribute("aria-labelledby", head.id);
  box.append(head);
  box.addEventListener("close", () => box.remove());
  document.body.append(box);
  return box;
}

// "?": the keys of this page. Keys of one letter can be turned off (WCAG 2.1.4).
function help() {
  const box = dialogOf("keys", words.keys);
  const list = document.createElement("dl");
  const add = (key, what) => {
    const k = document.createElement("dt"), w = document.createElement("dd"), mark = document.createElement("kbd");
    mark.textContent = key;
    k.append(mark);
    w.textContent = what;
    list.append(k, w);
  };
  if (rows().length) add("j k", words.rows), add("e", words.open);
  for (const e of keyed()) add(e.dataset.key, label(e));
  add("/", words.search), add("Ctrl K", words.anywhere), add("?", words.keys);
  const off = document.createElement("button");
  off.textContent = single() ? words.off : words.on;
  off.addEventListener("click", () => {
    localStorage.setItem("recoup-keys", single() ? "off" : "on");
    box.close();
  });
  const close = document.createElement("button");
  close.textContent = words.close;
  close.autofocus = true;
  close.addEventListener("click", () => box.close());
  const row = document.createElement("p");
  row.append(close, " ", off);
  box.append(list, row);
  box.showModal();
}

// Ctrl-K: every page and everything that can be done here, by a part of its name; what is
// none of that is searched for.
function palette() {
  document.querySelector("dialog.palette")?.close();
  const box = dialogOf("palette", words.anywhere);
  const field = document.createElement("input");
  field.type = "search";
  field.setAttribute("role", "combobox");
  field.setAttribute("aria-expanded", "true");
  field.setAttribute("aria-controls", "palette-list");
  field.setAttribute("aria-label", words.anywhere);
  const list = document.createElement("ul");
  list.id = "palette-list";
  list.setAttribute("role", "listbox");
  list.setAttribute("aria-label", words.anywhere);
  box.append(field, list);
  const all = [
    ...[...document.querySelectorAll("header nav a")].map((e) => [label(e), () => e.click()]),
    ...[...document.querySelectorAll(".views a, .kinds a")].map((e) => [label(e), () => e.click()]),
    ...keyed().map((e) => [label(e), () => use(e)]),
    [words.keys, help],
  ];
  let shown = [], at = 0;
  const mark = () => [...list.children].forEach((li, i) => {
    li.setAttribute("aria-selected", String(i === at));
    if (i === at) field.setAttribute("aria-activedescendant", li.id), li.scrollIntoView({ block: "nearest" });
  });
  const draw = () => {
    const text = field.value.trim().toLowerCase();
    shown = all.filter(([name]) => name.toLowerCase().includes(text));
    if (text) shown.push([words.find + " " + field.value.trim(), () => location.assign("/console/search?q=" + encodeURIComponent(field.value.trim()))]);
    at = 0;
    list.replaceChildren(...shown.map(([name, go], i) => {
      const li = document.createElement("li");
      li.id = "palette-" + i;
      li.setAttribute("role", "option");
      li.textContent = name;
      li.addEventListener("click", () => (box.close(), go()));
      return li;
    }));
    mark();
  };
  field.addEventListener("input", draw);
  field.addEventListener("keydown", (event) => {
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      at = Math.min(Math.max(at + (event.key === "ArrowDown" ? 1 : -1), 0), shown.length - 1);
      mark();
    } else if (event.key === "Enter" && shown[at]) {
      event.preventDefault();
      const go = shown[at][1];
      box.close();
      go();
    }
  });
  draw();
  box.showModal();
  field.focus();
}

// What is for a customer is copied whole.
for (const button of document.querySelectorAll("[data-copy]")) {
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(document.getElementById(button.dataset.copy).textContent);
    button.textContent = words.copied;
  });
}
