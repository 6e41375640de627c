// Comfort only: without it, every link and form of the playground loads a page.
// With it the page stays where it is, and only what is in it changes.

const here = "/console/playground";
const main = document.getElementById("main");

// What a step came to is read out.
const voice = document.createElement("p");
voice.className = "unseen";
voice.setAttribute("aria-live", "polite");
document.body.append(voice);

let waiting = null; // the request that is under way

// show fetches a page of the playground and puts it in the place of this one.
async function show(address, remember) {
  waiting?.abort();
  waiting = new AbortController();
  let response, text;
  try {
    response = await fetch(address, { signal: waiting.signal });
    text = await response.text();
  } catch (error) {
    if (error.name !== "AbortError") location.assign(address);
    return;
  }
  const next = new DOMParser().parseFromString(text, "text/html");
  if (!next.getElementById("stage")) {
    location.assign(address); // no such run, or nobody is signed in any more
    return;
  }
  if (remember && response.ok) history.pushState(null, "", response.url.split("#")[0]);
  const focused = main.contains(document.activeElement) && document.activeElement.id;
  const open = [...main.querySelectorAll("details[open]")].map((part) => part.id);
  main.replaceChildren(...next.getElementById("main").childNodes);
  for (const id of open) document.getElementById(id)?.setAttribute("open", "");
  enhance();
  if (focused !== false) (document.getElementById(focused) || document.getElementById("stage")).focus({ preventScroll: true });
  voice.textContent = document.getElementById("said").textContent;
}

// inPlay says whether an address is a run, and nothing else.
function inPlay(address) {
  const { origin, pathname } = new URL(address, location.href);
  return origin === location.origin && pathname === here;
}

main.addEventListener("click", (event) => {
  const link = event.target.closest("a[href]");
  if (!link || event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey || !inPlay(link.href)) return;
  event.preventDefault();
  show(link.href, true);
});

main.addEventListener("submit", (event) => {
  const form = event.target;
  if (!inPlay(form.getAttribute("action"))) return; // not form.action: a field could have that name
  event.preventDefault();
  const fields = new URLSearchParams(new FormData(form, event.submitter));
  show(`${here}?${fields}`, true);
});

addEventListener("popstate", () => show(location.href, false));

// The arrow keys step through the run, unless something else has a use for them.
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey || event.target.closest("input, textarea, select, .wide")) return;
  const link = document.getElementById({ ArrowRight: "next", ArrowLeft: "back" }[event.key]);
  if (!link) return;
  event.preventDefault();
  show(link.href, true);
});

// enhance sets up what is there only with a script, in a page that has just come.
function enhance() {
  for (const hidden of main.querySelectorAll(".keys, #copy, #file-field")) hidden.hidden = false;
  const link = document.getElementById("link");
  link.value = new URL(link.value, location.href).href;
  document.getElementById("copy").addEventListener("click", () => copy(link));
  const file = document.getElementById("file");
  file.addEventListener("change", async () => {
    if (file.files.length) document.getElementById("scenario").value = await file.files[0].slice(0, 1 << 17).text();
  });
  for (const choice of main.querySelectorAll(".choose select")) {
    choice.form.querySelector("button").hidden = true;
    choice.addEventListener("change", () => choice.form.requestSubmit());
  }
}

// copy puts a link on the clipboard, by the old way where a page may not.
async function copy(link) {
  try {
    await navigator.clipboard.writeText(link.value);
  } catch {
    link.select();
    document.execCommand("copy");
  }
  voice.textContent = "The link is copied.";
  document.getElementById("copy").textContent = "Copied";
}

enhance();
