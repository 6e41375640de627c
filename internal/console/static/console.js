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
