// Shows /openapi.json as a page. Text is only ever put in as text.
"use strict";

const element = (name, text, ...children) => {
  const e = document.createElement(name);
  if (text) e.textContent = text;
  e.append(...children);
  return e;
};

const withClass = (e, name) => { e.className = name; return e; };

const link = (text, id) => {
  const a = element("a", text);
  a.href = "#" + id;
  return a;
};

let schemas = {};

const nameOf = (schema) => (schema.$ref || "").split("/").pop();

// typeOf names what a schema allows, as text or a link to it.
const typeOf = (schema) => {
  if (!schema) return element("span");
  if (schema.$ref) return link(nameOf(schema), "schema-" + nameOf(schema));
  if (schema.oneOf) {
    const span = element("span");
    schema.oneOf.forEach((one, i) => span.append(i ? " or " : "", typeOf(one)));
    return span;
  }
  const types = [].concat(schema.type || "anything");
  if (types.includes("array")) return element("span", "array of ", typeOf(schema.items || {}));
  return element("span", types.join(" or ") + (schema.format ? " (" + schema.format + ")" : ""));
};

// noteOf is what else is to be known of a value.
const noteOf = (schema, text) => {
  const parts = [];
  if (text || schema.description) parts.push(text || schema.description);
  if (schema.enum) parts.push("One of " + schema.enum.join(", ") + ".");
  if (schema.default !== undefined) parts.push("By default " + schema.default + ".");
  if (schema.minimum !== undefined) parts.push("At least " + schema.minimum + ".");
  if (schema.maximum !== undefined) parts.push("At most " + schema.maximum + ".");
  return parts.join(" ");
};

const table = (heads, rows) => {
  const body = element("tbody");
  rows.forEach((row) => body.append(element("tr", "", ...row.map((cell) => element("td", "", cell)))));
  return element("table", "", element("thead", "", element("tr", "", ...heads.map((h) => element("th", h)))), body);
};

const content = (of) => Object.entries(of || {}).map(([type, media]) => {
  const row = element("p", "", element("code", type), " ", typeOf(media.schema));
  if (!media.example) return row;
  const example = typeof media.example === "string" ? media.example : JSON.stringify(media.example, null, 2);
  return element("div", "", row, element("pre", example));
});

const operation = (path, method, op) => {
  const s = element("section", "", element("h3", op.summary),
    withClass(element("div", "", withClass(element("span", method.toUpperCase()), "method"), " " + path), "path"));
  s.id = op.operationId;
  if (op.description) s.append(element("p", op.description));
  if (op.parameters) {
    s.append(element("h4", "Parameters"), table(["name", "in", "type", ""], op.parameters.map((p) =>
      [p.name + (p.required ? " *" : ""), p.in, typeOf(p.schema), noteOf(p.schema || {}, p.description)])));
  }
  if (op.requestBody) s.append(element("h4", "Body"), ...content(op.requestBody.content));
  s.append(element("h4", "Answers"), table(["status", "", ""], Object.entries(op.responses).map(([status, r]) =>
    [status, r.description || "", element("div", "", ...content(r.content))])));
  return s;
};

const schemaSection = (name, schema) => {
  const s = element("section", "", element("h3", name));
  s.id = "schema-" + name;
  if (schema.description) s.append(element("p", schema.description));
  if (!schema.properties) {
    s.append(element("p", "", typeOf(schema)));
    return s;
  }
  const required = schema.required || [];
  s.append(table(["member", "type", ""], Object.entries(schema.properties).map(([member, m]) =>
    [member + (required.includes(member) ? " *" : ""), typeOf(m), noteOf(m)])));
  return s;
};

const show = (api) => {
  schemas = (api.components && api.components.schemas) || {};
  const nav = document.getElementById("contents");
  const main = document.getElementById("reference");
  main.replaceChildren(element("h1", api.info.title + " " + (api.info.version || "")), element("p", api.info.description),
    withClass(element("p", "* is required. The document that this page shows: "), "note"));
  const source = element("a", "/openapi.json");
  source.href = "/openapi.json";
  main.lastChild.append(source);
  (api.tags || []).forEach((tag) => {
    nav.append(element("h2", tag.name));
    Object.entries(api.paths).forEach(([path, item]) => Object.entries(item).forEach(([method, op]) => {
      if (!(op.tags || []).includes(tag.name)) return;
      nav.append(link(method.toUpperCase() + " " + path, op.operationId));
      main.append(operation(path, method, op));
    }));
  });
  nav.append(element("h2", "Schemas"));
  Object.keys(schemas).sort().forEach((name) => {
    nav.append(link(name, "schema-" + name));
    main.append(schemaSection(name, schemas[name]));
  });
  if (location.hash) location.replace(location.hash);
};

fetch("/openapi.json").then((r) => {
  if (!r.ok) throw new Error("status " + r.status);
  return r.json();
}).then(show).catch((e) => {
  document.getElementById("reference").replaceChildren(element("p", "/openapi.json could not be read: " + e.message));
});
