// What the page shows: one table of operations, and one operation in detail.
const report = JSON.parse(document.getElementById("data").textContent);
const byId = (id) => document.getElementById(id);

/** An element with attributes (`onclick` and the like are listeners) and children. */
function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value !== undefined && value !== false) element.setAttribute(name, value);
  }
  element.append(...children.filter((child) => child !== undefined));
  return element;
}

/** Text with `code` in it, as documents and schemas have it. */
const rich = (text) =>
  text.split(/`([^`]+)`/).map((part, at) => (at % 2 ? make("code", {}, part) : part));

const whole = (number) => points(number * 1000);
const plural = (count, noun) => `${whole(count)} ${noun}${count === 1 ? "" : "s"}`;
const budgetOf = (operation) => operation.budget ?? (operation.bulk ? undefined : report.maximum);
const shareOf = (operation) => operation.bound / (budgetOf(operation) ?? Infinity);
const gradeOf = (share) => (share > 1 ? "bad" : share > 0.8 ? "warn" : "");

// The table

const columns = {
  name: (operation) => operation.name.toLowerCase(),
  price: (operation) => operation.price ?? -1,
  bound: (operation) => operation.bound,
  budget: (operation) => budgetOf(operation) ?? Infinity,
  share: shareOf,
  deprecated: (operation) => operation.deprecated.length,
};
const order = { key: "bound", down: true };

function searchable(operation) {
  const labels = [operation.name, operation.kind, operation.place, operation.description ?? ""];
  forEachEntry(operation.entries, (entry) => labels.push(entry.label));
  operation.deprecated.forEach((use) => labels.push(use.coordinate));
  return labels.join("\n").toLowerCase();
}
const texts = new Map(report.operations.map((operation) => [operation, searchable(operation)]));

function shown() {
  const words = byId("search").value.toLowerCase().split(/\s+/).filter(Boolean);
  const matches = (operation) => words.every((word) => texts.get(operation).includes(word));
  const key = columns[order.key];
  const compare = (a, b) => (key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0);
  return report.operations.filter(matches).sort((a, b) => (order.down ? compare(b, a) : compare(a, b)));
}

function drawTable() {
  const operations = shown();
  const all = report.operations.length;
  byId("found").textContent =
    operations.length === all ? plural(all, "operation") : `${operations.length} of ${plural(all, "operation")}`;
  byId("rows").replaceChildren(...operations.map(row));
  for (const heading of document.querySelectorAll("th")) {
    if (heading.dataset.key === order.key) {
      heading.setAttribute("aria-sort", order.down ? "descending" : "ascending");
    } else heading.removeAttribute("aria-sort");
  }
}

function row(operation) {
  const budget = budgetOf(operation);
  const share = shareOf(operation);
  const number = (value, over) =>
    make("td", { class: over ? "number over" : "number" }, value == null ? "–" : whole(value));
  const percent = `${Math.round(share * 100)} %`;
  const bar = make("i", { style: `width:${Math.min(100, share * 100)}%` });
  return make(
    "tr",
    { onclick: () => (location.hash = operation.name), "aria-current": operation === current && "true" },
    make(
      "td",
      {},
      make("a", { href: `#${operation.name}` }, operation.name),
      make("small", { title: operation.place }, operation.place),
    ),
    number(operation.price),
    number(operation.bound, share > 1),
    number(budget),
    make(
      "td",
      { class: "used", title: budget ? percent : "bulk" },
      make("span", { class: gradeOf(share), role: "img", "aria-label": budget ? percent : "bulk" }, bar),
    ),
    number(operation.deprecated.length || undefined),
  );
}

// One operation

let current;
let settings;
let zoom = [];

function select(name) {
  const operation = report.operations.find((candidate) => candidate.name === name) ?? shown()[0];
  if (!operation || operation === current) return;
  current = operation;
  settings = settingsOf(operation);
  zoom = [];
  byId("name").textContent = operation.name;
  byId("kind").textContent = operation.bulk ? `bulk ${operation.kind}` : operation.kind;
  byId("place").textContent = operation.place;
  byId("description").replaceChildren(...rich(operation.description ?? ""));
  byId("text").querySelector("code").textContent = operation.text;
  drawControls();
  drawDeprecated();
  drawPrice();
  drawTable();
}

function drawDeprecated() {
  const uses = current.deprecated.map((use) =>
    make(
      "li",
      {},
      make("code", {}, use.coordinate),
      " ",
      ...rich(use.reason),
      " ",
      make("code", { class: "quiet" }, use.place),
    ),
  );
  const content = uses.length ? [make("h3", {}, "Deprecated, and used here"), make("ul", {}, ...uses)] : [];
  byId("deprecated").replaceChildren(...content);
}

/** A slider and a field for the same number. */
function slider(label, note, value, most, change) {
  const id = `control-${slider.count++}`;
  const set = (from, to) => {
    const number = Math.min(most, Math.max(0, Math.round(Number(from.value) || 0)));
    to.value = number;
    change(number);
    drawPrice();
  };
  const range = make("input", { type: "range", id, min: 0, max: most, value, "data-control": label });
  const field = make("input", { type: "number", min: 0, max: most, value, "aria-label": `${label}, as a number` });
  range.addEventListener("input", () => set(range, field));
  field.addEventListener("input", () => set(field, range));
  return make("div", { class: "control" }, make("label", { for: id }, make("code", {}, label), note), range, field);
}
slider.count = 0;

function drawControls() {
  if (current.bulk) return byId("controls").replaceChildren();
  const small = (text) => make("small", {}, text);
  const used = { sizes: new Set(), flags: new Set() };
  const written = [];
  const flagged = (condition) => {
    if (condition === undefined) return;
    (condition.all ?? condition.any ?? []).forEach(flagged);
    if (condition.parameter !== undefined) used.flags.add(condition.parameter);
  };
  forEachEntry(current.entries, (entry) => {
    flagged(entry.when);
    for (const size of entry.sizes ?? []) {
      if (typeof size === "number") written.push({ path: entry.path.join("."), size });
      else used.sizes.add(size.parameter);
    }
  });
  const controls = [];
  current.parameters.forEach((parameter, index) => {
    const change = (value) => (settings.sizes[index] = value);
    if (used.sizes.has(index)) {
      const note = parameter.max ? `page size, declared at most ${whole(parameter.max)}` : "page size";
      controls.push(slider(`$${parameter.name}`, small(note), parameter.assumed, 250, change));
    }
    if (used.flags.has(index)) controls.push(choice(index, parameter));
  });
  const lists = new Map();
  forEachTerm(current.entries, (term) => {
    if (term.items || term.owners) lists.set(keyOf(term), term);
  });
  for (const [key, term] of lists) {
    const note = small(term.items ? `items, ${points(term.each)} points each` : "owners, at the dearest kind");
    const change = (value) => (settings.items[key] = value);
    controls.push(slider(`$${key}`, note, settings.items[key], term.atMost, change));
  }
  if (written.length) {
    const sliders = written.map(({ path, size }) =>
      slider(path, undefined, size, 250, (value) => (settings.written[path] = value)),
    );
    const title = make("summary", {}, `What if the ${plural(written.length, "size")} in the document were others?`);
    controls.push(make("details", { open: controls.length === 0 }, title, ...sliders));
  }
  byId("controls").replaceChildren(...controls);
}

/** A flag that decides whether something is charged. */
function choice(index, parameter) {
  const id = `flag-${index}`;
  const option = (value, text) => make("option", { value }, text);
  const change = (event) => {
    const { value } = event.target;
    if (value === "either") delete settings.flags[index];
    else settings.flags[index] = value === "true";
    drawPrice();
  };
  const options = [option("either", "either: the dearer"), option("true", "true"), option("false", "false")];
  const label = make("label", { for: id }, make("code", {}, `$${parameter.name}`), make("small", {}, "condition"));
  return make("div", { class: "control" }, label, make("select", { id, onchange: change }, ...options));
}

function drawPrice() {
  const budget = budgetOf(current);
  // What a bulk operation selects is not paid for: starting it is.
  const priced = current.bulk ? { points: current.bound } : evaluate(current, settings);
  for (const part of document.querySelectorAll("[data-paid]")) part.hidden = current.bulk;
  const share = priced.points / (budget ?? Infinity);
  byId("price").replaceChildren(whole(priced.points), make("small", {}, priced.points === 1 ? " point" : " points"));
  byId("meter").style.width = `${Math.min(100, share * 100)}%`;
  byId("meter").className = gradeOf(share);
  byId("verdict").className = share > 1 ? "bad" : "";
  byId("verdict").textContent = verdict(priced.points, budget);
  if (!current.bulk) drawFlame(priced);
}

function verdict(price, budget) {
  if (current.bulk) return "Runs as a bulk operation: this is what starting it costs, however much it reads.";
  const whose = current.budget ? "its budget of" : "the maximum of";
  if (price > budget) return `${whole(price - budget)} over ${whose} ${whole(budget)}.`;
  const percent = Math.round((price / budget) * 100);
  const seconds = (price / 100).toFixed(1).replace(/\.0$/, "");
  const often = Math.floor(100 / price);
  const pace = price > 100 ? `one call every ${seconds} seconds` : `${plural(often, "call")} a second`;
  return `${percent} % of ${whose} ${whole(budget)}. A standard shop restores 100 points a second, which pays for ${pace}.`;
}

// The flame graph

const HEIGHT = 28;

/** Rows as boxes: where they begin and how wide they are, as shares of the whole operation. */
function boxesOf(priced) {
  const boxes = [];
  const place = (rows, parent, times, left, depth) => {
    for (const row of rows) {
      const width = (row.each * times) / (priced.exact || 1);
      const box = { row, parent, left, width, depth, times, path: row.entry.path.join(".") + row.entry.label };
      boxes.push(box);
      place(row.below, box, times * row.factor, left, depth + 1);
      left += width;
    }
  };
  const root = { left: 0, width: 1, depth: 0, times: 1, path: "", row: { each: priced.exact, entry: {} } };
  boxes.push(root);
  place(priced.rows, root, 1, 0, 1);
  return boxes;
}

function drawFlame(priced) {
  const boxes = boxesOf(priced);
  const target = boxes.find((box) => box.path === zoom.at(-1)) ?? boxes[0];
  if (target === boxes[0]) zoom = [];
  const focused = document.activeElement?.closest?.("#flame [role=treeitem]")?.dataset.path;
  const around = new Set();
  for (let box = target.parent; box; box = box.parent) around.add(box);
  const visible = boxes.filter(
    (box) =>
      around.has(box) ||
      (box.left >= target.left - 1e-9 && box.left + box.width <= target.left + target.width + 1e-9 &&
        box.depth >= target.depth),
  );
  const depth = Math.max(...visible.map((box) => box.depth));
  const flame = byId("flame");
  flame.style.height = `${(depth + 1) * HEIGHT}px`;
  flame.replaceChildren(...visible.map((box) => bar(box, target, around.has(box), priced)));
  byId("out").disabled = zoom.length === 0;
  const bars = [...flame.children];
  (bars.find((candidate) => candidate.dataset.path === focused) ?? bars[0]).tabIndex = 0;
  if (focused !== undefined) flame.querySelector("[tabindex='0']").focus({ preventScroll: true });
}

function bar(box, target, around, priced) {
  const { row } = box;
  const left = around ? 0 : (box.left - target.left) / target.width;
  const width = around ? 1 : box.width / target.width;
  const label = box.parent ? row.entry.label : current.name;
  const total = box.parent ? row.each * box.times : priced.exact;
  const kind = box.parent ? (row.entry.sizes ? "connection" : row.entry.terms ? "input" : "object") : "root";
  const percent = Math.round((total / (priced.exact || 1)) * 100);
  const described = `${label}: ${points(total)} points, ${percent} %`;
  const explain = () => {
    const sums = row.sums ? ` = ${row.sums}` : "";
    const times = box.times > 1 ? `, charged ${whole(box.times)} times: ${points(total)}` : "";
    const each = box.parent ? `${points(row.each)}${sums}${times} points` : `${points(total)} points`;
    byId("hint").replaceChildren(make("b", {}, label), ` ${each}, ${percent} % of the operation`);
  };
  const element = make(
    "div",
    {
      role: "treeitem",
      class: [kind, around && "around", width < 0.035 && "thin"].filter(Boolean).join(" "),
      style: `left:${left * 100}%;width:${width * 100}%;top:${box.depth * HEIGHT}px`,
      tabindex: -1,
      "aria-level": box.depth + 1,
      "aria-label": described,
      "data-path": box.path,
      title: described,
      onclick: () => zoomTo(box),
      onmouseenter: explain,
      onfocus: explain,
    },
    label,
  );
  element.box = box;
  return element;
}

function zoomTo(box) {
  zoom = [];
  for (let step = box; step?.parent; step = step.parent) zoom.unshift(step.path);
  drawPrice();
}

function zoomOut() {
  zoom.pop();
  drawPrice();
}

function walk(event) {
  const bars = [...byId("flame").children];
  const from = event.target.closest("[role=treeitem]");
  if (!from) return;
  const siblings = bars.filter((other) => other.box.parent === from.box.parent);
  const at = siblings.indexOf(from);
  const steps = {
    ArrowDown: () => bars.find((other) => other.box.parent === from.box),
    ArrowUp: () => bars.find((other) => other.box === from.box.parent),
    ArrowLeft: () => siblings[at - 1],
    ArrowRight: () => siblings[at + 1],
    Home: () => bars[0],
  };
  if (event.key === "Enter" || event.key === " ") zoomTo(from.box);
  else if (event.key === "Escape") zoomOut();
  else if (steps[event.key]) {
    const to = steps[event.key]();
    if (to) {
      from.tabIndex = -1;
      to.tabIndex = 0;
      to.focus();
    }
  } else return;
  event.preventDefault();
}

// The frame

function drawFigures() {
  const over = report.operations.filter((operation) => shareOf(operation) > 1).length;
  const old = new Set(report.operations.flatMap((operation) => operation.deprecated.map((use) => use.coordinate)));
  const dearest = Math.max(0, ...report.operations.filter((o) => !o.bulk).map((o) => o.bound));
  const figure = (number, text, grade) => make("li", { class: grade }, make("b", {}, whole(number)), text);
  byId("figures").replaceChildren(
    figure(report.operations.length, report.operations.length === 1 ? "operation" : "operations"),
    figure(dearest, "points at most", gradeOf(dearest / report.maximum)),
    figure(over, "over budget", over ? "bad" : ""),
    figure(old.size, old.size === 1 ? "deprecated name used" : "deprecated names used", old.size ? "warn" : ""),
  );
  byId("about").textContent = `${report.schema} · ${report.documents} · one query may cost ${whole(report.maximum)} points`;
}

byId("search").addEventListener("input", drawTable);
for (const heading of document.querySelectorAll("th button")) {
  heading.addEventListener("click", () => {
    const { key } = heading.parentElement.dataset;
    order.down = order.key === key ? !order.down : key !== "name";
    order.key = key;
    drawTable();
  });
}
byId("flame").addEventListener("keydown", walk);
byId("out").addEventListener("click", zoomOut);
byId("theme").addEventListener("click", () => {
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  const root = document.documentElement;
  const shownNow = root.dataset.theme ?? (dark ? "dark" : "light");
  root.dataset.theme = shownNow === "dark" ? "light" : "dark";
});
addEventListener("hashchange", () => {
  select(decodeURIComponent(location.hash.slice(1)));
  if (!matchMedia("(min-width: 70rem)").matches) byId("detail").scrollIntoView();
});
drawFigures();
drawTable();
select(decodeURIComponent(location.hash.slice(1)));
