// The price of an operation: the plan's evaluation at its bounds, with other sizes, conditions and
// list lengths put in. Prices are whole thousandths of a point, so they are exact.
"use strict";

// floor(2 × ln n) steps up at ceil(e^(k/2)).
const STEPS = [
  1, 2, 3, 5, 8, 13, 21, 34, 55, 91, 149, 245, 404, 666, 1097, 1809, 2981, 4915, 8104, 13360, 22027,
];

/** How many times the children of a connection are charged. */
function pageWeight(size) {
  if (size <= 0) return 0;
  let weight = 1;
  for (let step = 2; step < STEPS.length && size >= STEPS[step]; step++) weight = step;
  return weight;
}

/** What a call is taken to be: at first, the most that the document declares. */
function settingsOf(operation) {
  const settings = { sizes: {}, written: {}, flags: {}, items: {} };
  operation.parameters.forEach((parameter, index) => {
    settings.sizes[index] = parameter.assumed;
  });
  forEachTerm(operation.entries, (term) => {
    if (term.items) settings.items[keyOf(term)] = term.declared ? term.atMost : 0;
    if (term.owners) settings.items[keyOf(term)] = term.atMost;
  });
  return settings;
}

function forEachEntry(entries, visit) {
  for (const entry of entries) {
    visit(entry);
    forEachEntry(entry.fields ?? [], visit);
    for (const possible of entry.types ?? []) forEachEntry(possible.fields, visit);
  }
}

function forEachTerm(entries, visit) {
  forEachEntry(entries, (entry) => (entry.terms ?? []).forEach(visit));
}

function keyOf(term) {
  return (term.items ?? term.owners).join(".");
}

/** Whether something under a condition is charged; a flag that may be either counts as holding. */
function holds(condition, flags) {
  if (condition.all) return condition.all.every((inner) => holds(inner, flags));
  if (condition.any) return condition.any.some((inner) => holds(inner, flags));
  const flag = flags[condition.parameter];
  return flag === undefined || flag === condition.value;
}

function termPrice(term, settings) {
  if (term.items || term.owners) return term.each * settings.items[keyOf(term)];
  return term.points;
}

function sizeOf(entry, settings) {
  const written = settings.written[entry.path.join(".")];
  const sizes = entry.sizes.map((size) =>
    typeof size === "number" ? (written ?? size) : settings.sizes[size.parameter],
  );
  return Math.max(0, ...sizes);
}

const sum = (rows) => rows.reduce((total, row) => total + row.each, 0);

/** The price of one entry each time it is charged, with what is below it. */
function priceOf(entry, settings) {
  if (entry.when && !holds(entry.when, settings.flags)) {
    return { entry, each: 0, factor: 1, below: [] };
  }
  if (entry.sizes) {
    const below = rowsOf(entry.fields, settings);
    const factor = pageWeight(sizeOf(entry, settings));
    const sums = `2 + ${factor} × ${points(sum(below))}`;
    return { entry, each: 2000 + factor * sum(below), factor, below, sums };
  }
  if (entry.types) {
    let dearest = { rows: [], total: 0, types: [] };
    for (const possible of entry.types) {
      const rows = rowsOf(possible.fields, settings);
      if (sum(rows) > dearest.total) dearest = { rows, total: sum(rows), types: possible.types };
    }
    const on = entry.types.length > 1 && dearest.types.length ? ` on ${dearest.types[0]}` : "";
    const sums = `${points(entry.own)} + ${points(dearest.total)}${on}`;
    return { entry, each: entry.own + dearest.total, factor: 1, below: dearest.rows, sums };
  }
  if (entry.terms) {
    const each = entry.terms.reduce((total, term) => total + termPrice(term, settings), 0);
    const sums = entry.each ? `${points(each / entry.each)} × ${points(entry.each)}` : undefined;
    return { entry, each: entry.terms.length ? each : 0, factor: 1, below: [], sums };
  }
  const below = rowsOf(entry.fields, settings);
  const sums = below.length ? `${points(entry.own)} + ${points(sum(below))}` : undefined;
  return { entry, each: entry.own + sum(below), factor: 1, below, sums };
}

/** The entries that cost something. */
function rowsOf(entries, settings) {
  return entries.map((entry) => priceOf(entry, settings)).filter((row) => row.each > 0);
}

function points(thousandths) {
  const whole = Math.floor(thousandths / 1000);
  // A fraction only where there is one: surcharges come in tenths.
  const digits = thousandths % 1000 === 0 ? 0 : 3;
  const text = (whole + (thousandths % 1000) / 1000).toFixed(digits);
  const [integer, fraction = ""] = text.split(".");
  const grouped = integer.replace(/\B(?=(\d{3})+$)/g, "\u202f");
  const rest = fraction.replace(/0+$/, "");
  return rest ? `${grouped}.${rest}` : grouped;
}

/** The whole operation: rounded once, and at least one point. */
function evaluate(operation, settings) {
  const rows = rowsOf(operation.entries, settings);
  const exact = sum(rows);
  return { rows, exact, points: Math.max(1, Math.floor((exact + 500) / 1000)) };
}
