// Comfort only: everything works without it.

// Fields that choose what a list shows need no button.
for (const field of document.querySelectorAll("form[data-at-once] select, form[data-at-once] input[type=date]")) {
  field.addEventListener("change", () => field.form.requestSubmit());
}

// "/" goes to the search field, as long as nothing is being typed.
document.addEventListener("keydown", (event) => {
  const typing = event.target.closest("input, textarea, select");
  const search = document.getElementById("search");
  if (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey && !event.altKey && search) {
    event.preventDefault();
    search.focus();
  }
});

// On a phone the menu is wider than the window, and shows where one is all the same.
for (const here of document.querySelectorAll("header nav [aria-current]")) {
  const menu = here.parentElement, at = here.getBoundingClientRect(), shown = menu.getBoundingClientRect();
  menu.scrollLeft += at.left < shown.left ? at.left - shown.left : Math.max(0, at.right - shown.right);
}

// A form is sent once, however often its button is pressed.
for (const form of document.querySelectorAll("form[method=post]")) {
  form.addEventListener("submit", (event) => {
    if (form.dataset.sent) event.preventDefault();
    form.dataset.sent = "yes";
  });
}
addEventListener("pageshow", () => {
  for (const form of document.querySelectorAll("form[data-sent]")) delete form.dataset.sent;
});

// A chart says what holds where one points; with the keyboard, from change to change.
for (const figure of document.querySelectorAll("figure[data-told]")) {
  const says = figure.querySelector(".readout");
  let spans = [], at = -1;
  const visible = () => [...figure.querySelectorAll(".told")].filter((span) => span.getClientRects().length);
  const point = (n) => {
    spans[at]?.classList.remove("at");
    at = Math.max(0, Math.min(n, spans.length - 1));
    spans[at]?.classList.add("at");
    if (spans[at]) says.textContent = spans[at].textContent;
  };
  figure.addEventListener("pointerover", (event) => {
    spans = visible();
    const n = spans.indexOf(event.target.closest(".told"));
    if (n >= 0) point(n);
  });
  figure.addEventListener("focus", () => {
    spans = visible();
    point(at < 0 ? spans.length - 1 : at);
  });
  figure.addEventListener("keydown", (event) => {
    const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: spans.length - 1 }[event.key];
    if (to === undefined || event.target !== figure) return;
    event.preventDefault();
    point(to);
  });
}
