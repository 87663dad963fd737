// Works the page as a reader does, and writes down what it shows. Run by the tests only.
const seen = { prices: [], errors: [], search: [], sorted: [], zoomed: [] };
addEventListener("error", (event) => seen.errors.push(String(event.message)));
const turn = () => new Promise((done) => setTimeout(done, 1));
const shownPrice = () => Number(byId("price").firstChild.textContent.replace(/\s/g, ""));
const names = () => [...document.querySelectorAll("#rows a")].map((link) => link.textContent);

function put(control, value) {
  control.value = value;
  control.dispatchEvent(new Event(control.tagName === "SELECT" ? "change" : "input", { bubbles: true }));
}

async function drive() {
  for (const name of names()) {
    const note = (control, value) => seen.prices.push({ operation: name, control, value, price: shownPrice() });
    [...document.querySelectorAll("#rows a")].find((link) => link.textContent === name).click();
    await turn();
    if (byId("name").textContent !== name) seen.errors.push(`${name} is not shown`);
    note(null, null);
    for (const range of document.querySelectorAll("#controls > .control input[type=range]")) {
      const before = range.value;
      for (const value of [0, 1, 2, 3, 7, 8, 10, 50, 90, 91, 149, 250]) {
        put(range, value);
        note(range.dataset.control, Number(range.value));
      }
      put(range, before);
    }
    for (const choice of document.querySelectorAll("#controls > .control select")) {
      const control = choice.closest(".control").querySelector("code").textContent;
      for (const value of ["true", "false"]) {
        put(choice, value);
        note(control, value === "true");
      }
      put(choice, "either");
    }
  }
  put(byId("search"), "lineitems orders");
  seen.search = names();
  put(byId("search"), "");
  document.querySelector("th[data-key=name] button").click();
  seen.sorted = names();
  location.hash = "OrderPage";
  await turn();
  const press = (key) =>
    document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
  byId("flame").querySelector("[tabindex='0']").focus();
  ["ArrowDown", "ArrowDown", "Enter"].forEach(press);
  const wide = () => [...byId("flame").children].filter((bar) => bar.style.width === "100%").map((bar) => bar.textContent);
  seen.zoomed.push(wide());
  press("Escape");
  press("Escape");
  seen.zoomed.push(wide());
}

drive()
  .catch((error) => seen.errors.push(String(error)))
  .then(() => document.body.append(make("pre", { id: "seen" }, JSON.stringify(seen))));
