// The playground: one state, which every control changes and every section shows.
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const $ = (id) => document.getElementById(id);
  const UNDEFINED = ["0", "1", "skip", "nan"], SCOPES = ["empty", "one-sided", "no-hits"];
  const limits = { most: data.most, longest: data.longest, options: { classes: Object.keys(data.class_sets), undefined: UNDEFINED, scope: SCOPES } };
  const MEANS = ["macro", "weighted", "micro"];
  const f1 = data.rates.find((rate) => rate.title === "F1"), rateOf = (title) => data.rates.find((rate) => rate.title === title);
  const wholeOf = (title) => data.whole.find((score) => score.title === title);

  // scores: a row of the data has one definition for each rule for 0/0 and each scope
  const under = (row, state) => row[UNDEFINED.indexOf(state.undefined) * SCOPES.length + SCOPES.indexOf(state.scope)];
  const signature = (row, state) => data.scores[under(row, state)][0].replace("|classes:observed|", `|classes:${state.classes}|`);
  class Sheet {
    constructor(state, matrix) {
      this.state = state;
      this.all = formulas.counted(matrix);
      this.parts = new Map();
      this.codes = this.chosen(data.class_sets[state.classes]);
    }
    chosen(step, excluded = []) {
      this.all.excluded = excluded;
      const all = excluded.length ? { ...this.all, known: new Map() } : this.all;
      return formulas.run(data.steps, step, all);
    }
    over(codes) {
      const key = codes.join();
      if (!this.parts.has(key)) this.parts.set(key, formulas.chosen(this.all, codes));
      return this.parts.get(key);
    }
    step(at, codes = this.codes) { return formulas.run(data.steps, at, this.over(codes)); }
    mean(row) { return this.codes.length ? this.step(data.scores[under(row, this.state)][1]) : NaN; }
    everywhere(row) { return formulas.run(data.steps, data.scores[under(row, this.state)][1], this.all); }
  }

  // the state, and those before and after it
  const example = (at) => { const { names, matrix } = data.examples[at]; return { names, matrix, shares: null, ...matrices.DEFAULTS }; };
  let state = example(0), shown = null, moved = 0;
  const past = [], future = [];
  let last = { key: null, time: 0 };
  const change = (changes, key = null) => {
    const next = { ...state, ...changes };
    if (changes.matrix && !("shares" in changes)) next.shares = null;
    try { matrices.check(next, limits); } catch (error) { return complain(error); }
    const time = Date.now();
    if (key === null || key !== last.key || time - last.time > 1500) past.push(state);
    last = { key, time };
    future.length = 0;
    state = next;
    complain(null);
    show();
    return true;
  };
  const step = (from, to) => {
    if (!from.length) return;
    to.push(state);
    state = from.pop();
    last = { key: null, time: 0 };
    complain(null);
    show();
  };
  const complain = (error) => {
    if (error && !(error instanceof Wrong)) throw error;
    $("wrong").hidden = !error;
    if (error) $("wrong").textContent = error.message;
    return false;
  };

  // the matrix
  const withCell = (i, j, value) => state.matrix.map((row, a) => (a === i ? row.map((x, b) => (b === j ? value : x)) : row));
  const label = (i, j) => `true ${matrices.short(state.names[i])}, predicted ${matrices.short(state.names[j])}`;
  const buildMatrix = () => {
    const k = state.matrix.length, classes = [...Array(k).keys()];
    const head = make("tr", {}, make("td", { class: "corner" }, "true ↓", make("br"), "predicted →"), classes.map(() => make("th", { scope: "col" })), make("th", { scope: "col", class: "sum" }, "items"));
    const rows = classes.map((i) => make("tr", {},
      make("th", { scope: "row" }, make("span", { class: "named" },
        make("input", { class: "name", maxlength: data.longest + 100, spellcheck: "false", autocomplete: "off", "data-name": i }),
        make("button", { type: "button", class: "remove", "data-remove": i }, "×"))),
      classes.map((j) => make("td", {}, make("input", { class: "count", inputmode: "numeric", autocomplete: "off", "data-row": i, "data-column": j }))),
      make("td", { class: "sum" })));
    $("matrix").replaceChildren(make("caption", { class: "unseen" }, "Counts; a row is a true class, a column a predicted class"), make("thead", {}, head), make("tbody", {}, rows));
  };
  const showMatrix = () => {
    const table = $("matrix"), k = state.matrix.length, rows = matrices.support(state.matrix);
    if (table.tBodies[0]?.rows.length !== k) buildMatrix();
    [...table.tHead.rows[0].cells].slice(1, -1).forEach((th, j) => { th.textContent = matrices.short(state.names[j], 24); th.title = matrices.visible(state.names[j]); });
    document.querySelector("main").classList.toggle("many", k > 5);
    for (const input of table.querySelectorAll("input.name")) {
      const name = state.names[input.dataset.name];
      if (input.value !== name) input.value = name;
      input.removeAttribute("aria-invalid");
      input.setAttribute("aria-label", `Name of class ${Number(input.dataset.name) + 1}`);
    }
    for (const button of table.querySelectorAll(".remove")) {
      button.setAttribute("aria-label", `Remove class ${matrices.short(state.names[button.dataset.remove])}`);
      button.hidden = k <= 2;
    }
    for (const input of table.querySelectorAll("input.count")) {
      const i = Number(input.dataset.row), j = Number(input.dataset.column), value = state.matrix[i][j];
      if (input.value !== String(value)) input.value = value;
      input.setAttribute("aria-label", label(i, j));
      input.setAttribute("size", Math.max(3, String(value).length));
      input.removeAttribute("aria-invalid");
      input.parentElement.className = `${shade(value / rows[i])}${i === j ? " hit" : ""}`;
    }
    table.querySelectorAll("td.sum").forEach((td, i) => { td.textContent = whole(rows[i]); });
    $("add").disabled = k >= data.most;
    $("undo").disabled = !past.length;
    $("redo").disabled = !future.length;
  };
  const typed = (input) => {
    const i = Number(input.dataset.row), j = Number(input.dataset.column);
    try {
      const value = matrices.count(input.value, label(i, j));
      if (value !== state.matrix[i][j]) { if (!change({ matrix: withCell(i, j, value) }, `cell ${i} ${j}`)) throw new Wrong($("wrong").textContent); } else complain(null);
      input.removeAttribute("aria-invalid");
    } catch (error) {
      input.setAttribute("aria-invalid", "true");
      complain(error);
    }
  };
  const nudge = (input, by) => {
    const i = Number(input.dataset.row), j = Number(input.dataset.column);
    change({ matrix: withCell(i, j, Math.max(0, state.matrix[i][j] + by)) }, `cell ${i} ${j}`);
  };
  const rename = (input) => {
    const at = Number(input.dataset.name), name = matrices.tidy(input.value);
    if (name === state.names[at]) return complain(null);
    const fine = change({ names: state.names.map((x, i) => (i === at ? name : x)), shares: state.shares }, `name ${at}`);
    if (!fine) input.setAttribute("aria-invalid", "true");
    return fine;
  };
  const paste = (text, rows) => {
    try { return change(matrices.parse(text, rows, limits)); } catch (error) { return complain(error); }
  };
  const free = () => matrices.letters(26).find((x) => !state.names.includes(x));
  const matrixEvents = () => {
    const table = $("matrix");
    table.addEventListener("input", (event) => { if (event.target.matches(".count")) typed(event.target); });
    table.addEventListener("change", (event) => { if (event.target.matches(".name")) rename(event.target); });
    table.addEventListener("focusout", (event) => {
      if (event.target.getAttribute("aria-invalid")) showMatrix();
    });
    table.addEventListener("focusin", (event) => { if (event.target.matches(".count")) event.target.select(); });
    table.addEventListener("keydown", (event) => {
      if (!event.target.matches(".count") || event.altKey || event.ctrlKey || event.metaKey) return;
      const by = { ArrowUp: 1, ArrowDown: -1, PageUp: 100, PageDown: -100 }[event.key];
      if (by) { event.preventDefault(); nudge(event.target, by * (event.shiftKey ? 10 : 1)); }
      if (event.key === "Enter") {
        const row = Number(event.target.dataset.row) + (event.shiftKey ? -1 : 1);
        table.querySelector(`.count[data-row="${row}"][data-column="${event.target.dataset.column}"]`)?.focus();
      }
    });
    table.addEventListener("paste", (event) => {
      const text = event.clipboardData.getData("text/plain");
      if (!/[\t\n\r,;]|\S\s+\S/.test(text.trim()) || !event.target.matches("input.count, input.name")) return;
      if (event.target.matches(".name") && !/[\t\n\r]/.test(text.trim())) return;
      event.preventDefault();
      paste(text, "true");
    });
    table.addEventListener("click", (event) => {
      const at = event.target.dataset.remove;
      if (at === undefined) return;
      const keep = (x) => x.filter((_, i) => i !== Number(at));
      change({ names: keep(state.names), matrix: keep(state.matrix).map(keep) });
      table.querySelector(`.name[data-name="${Math.min(Number(at), state.names.length - 1)}"]`).focus();
    });
    drags(table);
    $("add").addEventListener("click", () => change({
      names: [...state.names, free()], matrix: [...state.matrix.map((row) => [...row, 0]), [...state.names.map(() => 0), 0]] }));
    $("transpose").addEventListener("click", () => change({ matrix: state.matrix.map((_, i) => state.matrix.map((row) => row[i])) }));
    $("undo").addEventListener("click", () => step(past, future));
    $("redo").addEventListener("click", () => step(future, past));
    $("use").addEventListener("click", () => { if (paste($("pasted").value, $("pasted-rows").value)) $("pasted").value = ""; });
    document.addEventListener("keydown", (event) => {
      if (!(event.ctrlKey || event.metaKey) || event.target.matches("textarea")) return;
      if (event.target.matches(".name") && event.target.value !== state.names[event.target.dataset.name]) return; // being typed
      const key = event.key.toLowerCase();
      if (key !== "z" && key !== "y") return;
      event.preventDefault();
      if (key === "z" && !event.shiftKey) step(past, future); else step(future, past);
    });
  };
  // a cell dragged sideways counts up or down, faster where there are more items
  const drags = (table) => {
    let drag = null;
    table.addEventListener("pointerdown", (event) => {
      if (!event.target.matches(".count") || event.button !== 0) return;
      const { row, column } = event.target.dataset, start = state.matrix[row][column];
      drag = { input: event.target, x: event.clientX, start, unit: 10 ** Math.max(0, Math.floor(Math.log10(start || 1)) - 1), moving: false, key: `drag ${Date.now()}` };
    });
    table.addEventListener("pointermove", (event) => {
      if (!drag) return;
      const by = event.clientX - drag.x;
      if (!drag.moving && Math.abs(by) < 6) return;
      if (!drag.moving) { drag.moving = true; drag.input.setPointerCapture(event.pointerId); drag.input.blur(); table.classList.add("dragging"); }
      event.preventDefault();
      const { row, column } = drag.input.dataset, value = Math.max(0, drag.start + Math.trunc(by / 6) * drag.unit);
      if (value !== state.matrix[row][column]) change({ matrix: withCell(Number(row), Number(column), value) }, drag.key);
      last.time = Date.now();
    });
    for (const end of ["pointerup", "pointercancel"]) table.addEventListener(end, () => { drag = null; table.classList.remove("dragging"); });
  };

  // examples, and the family whose gap tends to the bound
  const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);
  const ofFamily = (n, z) => { const { start, growth } = data.extremal[n - 2]; return start.map((row, i) => row.map((x, j) => x + z * growth[i][j])); };
  const zOf = () => {
    const k = state.matrix.length, { start, growth } = data.extremal[k - 2], i = growth.findIndex((row) => row.some(Boolean));
    const j = growth[i].findIndex(Boolean), z = state.matrix[i][j] - start[i][j];
    return z >= 0 && same(state.matrix, ofFamily(k, z)) ? z : null;
  };
  const Z = [...Array(61).keys()].map((i) => (i < 10 ? i : Math.round(10 ** (1 + (i - 10) / 12.5)))); // to 100,000
  const showExamples = () => {
    const z = zOf();
    [...$("examples").children].forEach((button, at) => {
      const { names, matrix } = data.examples[at], is = same(matrix, state.matrix) && same(names, state.names);
      button.setAttribute("aria-pressed", is || (z !== null && button.dataset.family === "yes"));
    });
    const pressed = [...$("examples").children].findIndex((button) => button.getAttribute("aria-pressed") === "true");
    $("note").textContent = pressed < 0 ? "A matrix of your own. The link and the Python code below contain it." : data.examples[pressed].note;
    $("family").hidden = z === null;
    if (z === null) return;
    $("z").value = Z.reduce((best, x, i) => (Math.abs(x - z) < Math.abs(Z[best] - z) ? i : best), 0);
    $("z").setAttribute("aria-valuetext", `z = ${whole(z)}`);
    $("z-shown").textContent = whole(z);
    $("z-classes").value = String(state.matrix.length);
  };
  const exampleEvents = () => {
    const family = data.examples.findIndex(({ matrix }) => data.extremal.some((_, i) => matrix.length === i + 2 && same(ofFamily(i + 2, matrix.flat().reduce((a, b) => Math.max(a, b))), matrix)));
    $("examples").replaceChildren(...data.examples.map(({ name }, at) => {
      const button = make("button", { type: "button", "data-family": at === family ? "yes" : "no" }, name);
      button.addEventListener("click", () => change({ ...example(at), classes: state.classes, undefined: state.undefined, scope: state.scope }));
      return button;
    }));
    const names = (n) => (n === state.names.length ? state.names : [...Array(n).keys()].map(String));
    $("z").addEventListener("input", () => change({ matrix: ofFamily(state.matrix.length, Z[$("z").value]) }, "z"));
    $("z-classes").addEventListener("change", () => { const n = Number($("z-classes").value); change({ matrix: ofFamily(n, zOf() ?? 100), names: names(n) }); });
    for (const name of Object.keys(matrices.DEFAULTS)) $(name).addEventListener("change", () => change({ [name]: $(name).value }, null));
  };

  // both macro F1s
  const signed = (text, id, name) => make("div", { class: "signature" },
    make("code", { id }, text.split("|").map((part, i, all) => make("span", {}, part + (i < all.length - 1 ? "|" : "")))),
    make("button", { type: "button", class: "copy", "data-copy": id, "aria-label": `Copy signature of ${name}` }, "copy"));
  const card = (second, name, what, value, text, id) => make("div", { class: `card${second ? " second" : ""}` },
    make("h3", {}, name), make("p", { class: "what" }, what), make("span", { class: "big", "data-value": String(value), id: `${id}-value` }, decimals(value)), signed(text, id, name));
  const showAnswer = (sheet) => {
    const averaged = sheet.mean(f1.means[0]), ofAverages = sheet.mean(f1.of_averages[0]);
    $("answers").replaceChildren(
      card(false, "averaged F1", "the mean of the classes’ F1", averaged, signature(f1.means[0], state), "averaged"),
      card(true, "F1 of averages", "the harmonic mean of macro precision and macro recall", ofAverages, signature(f1.of_averages[0], state), "of-averages"));
    const rule = UNDEFINED.indexOf(state.undefined), clear = rule < 2 && state.scope === "empty" && sheet.codes.length > 0;
    $("why").hidden = !clear;
    $("brief").replaceChildren(make("b", { class: "first" }, decimals(averaged)), make("b", { class: "second" }, decimals(ofAverages)));
    const both = `Averaged F1 is ${decimals(averaged)} and F1 of averages ${decimals(ofAverages)}`;
    $("scale").replaceChildren(pictures.scale(averaged, ofAverages, `${both}, on a scale from 0 to 1.`));
    if (!clear) {
      $("gap").replaceChildren(rule < 2 ? "With another scope, 0/0 is settled differently in the two formulas, and their gap cannot be explained by pairs of classes." : "With “skip” or NaN, precision, recall and F1 are averaged over different classes, and the gap means nothing.");
      return { averaged, ofAverages, both };
    }
    const macro = data.macro[rule], gap = sheet.step(macro.gap), bound = sheet.step(macro.supremum);
    $("gap").replaceChildren("They are ", make("strong", { id: "gap-value", "data-value": String(gap) }, decimals(gap)), ` apart. With ${sheet.codes.length} ${sheet.codes.length === 1 ? "class" : "classes"}, the gap ${bound ? "stays below" : "is"} `,
      make("strong", { id: "supremum", "data-value": String(bound) }, decimals(bound)), gap > 1e-12 ? `: this is ${percent(gap / bound)} of that.` : ".");
    showWhy(sheet, macro, { averaged, ofAverages, gap, both });
    return { averaged, ofAverages, both };
  };
  const showWhy = (sheet, macro, { averaged, ofAverages, gap, both }) => {
    const names = sheet.codes.map((code) => state.names[code]), step = (at) => sheet.step(data.scores[at][1]);
    const precision = step(macro.precision), recall = step(macro.recall), terms = sheet.step(macro.terms), parts = sheet.step(macro.contributions);
    const sizes = matrices.support(state.matrix), mean = [rateOf("recall"), rateOf("precision")].map((rate) => sheet.mean(rate.means[0]));
    const contour = (f1, recall) => formulas.run(data.steps, data.contour, { f1, recall });
    $("plane").replaceChildren(...pictures.plane({ names, precision, recall, sizes: sheet.codes.map((code) => sizes[code]), mean, averaged, ofAverages,
      finding: `Precision against recall of ${names.length} classes. ${both}.` }, contour, data.levels));
    const most = Math.max(...terms.flat()), total = terms.flat().reduce((x, y) => x + y, 0), open = gap > 1e-12 && most > 0;
    const head = make("tr", {}, make("td", { class: "corner" }), names.map((name) => make("th", { scope: "col" }, matrices.short(name, 14))), make("th", { scope: "col", class: "sum" }, "class"));
    const rows = terms.map((row, i) => make("tr", {}, make("th", { scope: "row" }, matrices.short(names[i], 14)),
      row.map((term, j) => make("td", { class: i === j ? "s0 self" : shade(open ? term / most * 0.999 : 0), "data-value": String(term) }, i === j || !open ? "–" : term ? percent(term / total) : "0")),
      make("td", { class: "sum", "data-value": String(parts[i]) }, open ? percent(parts[i] / total) : "–")));
    $("terms").replaceChildren(make("caption", { class: "unseen" }, "The gap as a sum over pairs of classes, and each class’s part"), make("thead", {}, head), make("tbody", {}, rows));
    let [a, b] = [0, 0];
    terms.forEach((row, i) => row.forEach((term, j) => { if (term > terms[a][b]) [a, b] = [i, j]; }));
    $("pairs").textContent = open
      ? `${matrices.short(names[a])} and ${matrices.short(names[b])} account for ${percent((terms[a][b] + terms[b][a]) / total)} of the gap. Classes that differ most in the ratio of precision to recall open it.`
      : "There is no gap: all classes have the same ratio of precision to recall, or no hits.";
  };

  // what libraries would print
  const groupsOf = (sheet) => {
    const printed = [], absent = [];
    for (const dialect of data.dialects) {
      const reason = dialect.absent;
      if (reason) { absent.push([dialect, reason]); continue; }
      const excluded = dialect.exclude.map((name) => state.names.indexOf(name)).filter((code) => code >= 0);
      const variant = dialect.variants[excluded.length ? 0 : dialect.variants.length - 1];
      const codes = sheet.chosen(variant.class_set, excluded);
      if (!codes.length) { absent.push([dialect, "there are no classes to average over"]); continue; }
      printed.push({ dialect, variant, value: sheet.step(variant.step, codes) });
    }
    printed.sort((a, b) => Number.isNaN(a.value) - Number.isNaN(b.value) || b.value - a.value || 0);
    const groups = [];
    for (const each of printed) {
      const first = groups.at(-1)?.[0].value;
      if (Math.abs(first - each.value) <= data.same || (Number.isNaN(first) && Number.isNaN(each.value) && groups.length)) groups.at(-1).push(each);
      else groups.push([each]);
    }
    return { groups, absent };
  };
  const plainest = (group) => group.reduce((best, each) => (each.variant.departures < best.variant.departures ? each : best));
  const showDialects = (sheet) => {
    const { groups, absent } = groupsOf(sheet), opened = new Set([...$("dialects").querySelectorAll("details[open]")].map((x) => x.dataset.of));
    const several = (library) => groups.filter((group) => group.some((each) => each.dialect.library === library)).length > 1;
    const called = ({ library, versions }) => (several(library) ? `${library} ${versions}` : library);
    const sources = (group) => {
      const of = group[0].dialect.name, list = group.map(({ dialect }) => make("li", {}, `${dialect.library} ${dialect.versions}. ${dialect.note} `, make("code", {}, dialect.file)));
      return make("details", { "data-of": of, open: opened.has(of) ? "" : null }, make("summary", {}, `${group.length === 1 ? "source" : `${group.length} sources`}`), make("ul", { class: "sources" }, list));
    };
    const rows = groups.map((group) => {
      const { value, variant } = plainest(group);
      const bar = draw("svg", { viewBox: "0 0 100 10", class: "bar", "aria-hidden": "true", preserveAspectRatio: "none" }, Number.isFinite(value) ? draw("rect", { x: 0, y: 1, height: 8, width: 100 * value }) : null);
      return make("tr", { "data-names": group.map((each) => each.dialect.name).join(" ") }, cell(value, { class: "value" }), make("td", { class: "bars" }, bar),
        make("td", {}, make("span", {}, [...new Set(group.map((each) => called(each.dialect)))].join(", ")), make("span", { class: "because soft" }, variant.why), sources(group)));
    });
    const head = make("tr", {}, make("th", { scope: "col", class: "number" }, "macro F1"), make("th", { scope: "col", class: "bars" }, make("span", { class: "unseen" }, "from 0 to 1")), make("th", { scope: "col" }, "printed by, and why"));
    $("dialects").replaceChildren(make("caption", { class: "unseen" }, "What libraries would print as macro F1"), make("thead", {}, head), make("tbody", {}, rows));
    const values = groups.map((group) => plainest(group).value).filter((x) => !Number.isNaN(x)), count = groups.flat().length;
    $("spread").textContent = values.length > 1
      ? `${count} programs and versions print ${values.length} different numbers for this matrix as ‘macro F1’, from ${decimals(Math.min(...values))} to ${decimals(Math.max(...values))}.`
      : `${count} programs and versions agree on this matrix. Add a class that never occurs, or that is never predicted, and they will not.`;
    $("absent-head").textContent = `${absent.length} that need more than a matrix of named classes`;
    $("absent").replaceChildren(...absent.map(([dialect, reason]) => make("li", {}, `${dialect.library} ${dialect.versions}: ${reason}`)));
  };

  // class shares
  const SHIFTED = [["accuracy", wholeOf("accuracy").score, "whole"], ["macro recall", rateOf("recall").means[0]], ["macro precision", rateOf("precision").means[0]],
    ["averaged F1", f1.means[0]], ["F1 of averages", f1.of_averages[0]], ["MCC", wholeOf("MCC").score, "whole"]];
  const valueOf = (sheet, [, row, kind]) => (kind === "whole" ? sheet.everywhere(row) : sheet.mean(row));
  const buildShares = () => {
    $("shares").replaceChildren(...state.names.map((_, i) => make("div", { class: "share" }, make("label", { for: `share-${i}` }), make("input", { type: "range", id: `share-${i}`, min: 0, max: matrices.SHARES, step: 1, "data-share": i }), make("output", { for: `share-${i}` }))));
  };
  const showShares = (before) => {
    if ($("shares").children.length !== state.names.length) buildShares();
    const now = state.shares ?? matrices.usualShares(state.matrix), rows = matrices.support(state.matrix), full = rows.filter(Boolean).length;
    [...$("shares").children].forEach((line, i) => {
      const [text, input, output] = line.children, share = `${(now[i] / 10).toFixed(1)} %`;
      text.textContent = matrices.short(state.names[i], 24);
      input.value = now[i];
      input.disabled = !rows[i] || full < 2;
      input.setAttribute("aria-valuetext", share);
      output.textContent = rows[i] ? share : "no items";
    });
    $("as-counted").disabled = !state.shares;
    if (moved >= state.names.length || !rows[moved]) moved = Math.max(0, rows.findIndex(Boolean));
    $("shifts").hidden = !state.shares;
    if (state.shares) showShifts(before, new Sheet(state, matrices.reweighted(state)));
    return () => showSweep(now, full);
  };
  const showShifts = (before, after) => {
    const lines = [...SHIFTED.slice(0, 1), ...data.whole.slice(1).map((x) => [x.title, x.score, "whole"]), ...data.rates.flatMap((rate) => [[rate.titles[0], rate.means[0]], ...(rate.of_averages ? [[rate.of_averages_title, rate.of_averages[0]]] : [])])];
    const head = make("tr", {}, make("th", { scope: "col" }, "score"), ["as counted", "at these shares", "change"].map((x) => make("th", { scope: "col", class: "number" }, x)));
    const body = lines.map((line) => {
      const [was, is] = [valueOf(before, line), valueOf(after, line)], by = is - was;
      const still = Math.abs(by) < 5e-5 || was === is || (Number.isNaN(was) && Number.isNaN(is));
      return make("tr", {}, make("th", { scope: "row" }, line[0]), cell(was), cell(is, { class: "value" }), make("td", { class: `number${still ? " soft" : ""}` }, still ? "none" : `${by > 0 ? "+" : ""}${decimals(by)}`));
    });
    $("shifts").replaceChildren(make("caption", { class: "unseen" }, "Scores as counted and at these class shares"), make("thead", {}, head), make("tbody", {}, body));
  };
  const showSweep = (now, full) => {
    if (full < 2) return $("sweep").replaceChildren();
    const at = 49, sheets = Array.from({ length: at }, (_, i) => { const shares = matrices.withShare({ ...state, shares: now }, moved, Math.round(matrices.SHARES * (i + 1) / (at + 1))); return new Sheet(state, matrices.reweighted(state, shares)); });
    const lines = SHIFTED.map((line) => ({ title: line[0], values: sheets.map((sheet) => valueOf(sheet, line)) }));
    const range = (line) => { const values = line.values.filter(Number.isFinite); return values.length ? Math.max(...values) - Math.min(...values) : 0; };
    const most = lines.reduce((a, b) => (range(b) > range(a) ? b : a)), name = matrices.short(state.names[moved], 24);
    return $("sweep").replaceChildren(...pictures.sweep(lines, now[moved] / matrices.SHARES, `share of ${name} among the items`,
      `Scores as the share of ${name} goes from 0 to 1. ${most.title} changes most, by ${decimals(range(most))}; macro recall by ${decimals(range(lines[1]))}.`));
  };

  // tables
  const showRates = (sheet) => {
    const head = make("tr", {}, make("th", { scope: "col" }, "rate"), state.names.map((name) => make("th", { scope: "col", class: "number" }, matrices.short(name, 14))), MEANS.map((mean) => make("th", { scope: "col", class: "number mean" }, mean)));
    const rows = data.rates.flatMap((rate) => {
      const first = make("tr", {}, make("th", { scope: "row" }, rate.title, make("span", { class: "because long soft" }, rate.summary)),
        sheet.everywhere(rate.classes).map((value) => cell(value)), rate.means.map((row) => cell(sheet.mean(row), { class: "mean" })));
      if (!rate.of_averages) return [first];
      const second = make("tr", {}, make("th", { scope: "row" }, rate.of_averages_title), state.names.map(() => make("td", { class: "number soft" }, "–")),
        rate.of_averages.map((row) => cell(sheet.mean(row), { class: "mean" })), make("td", { class: "number mean soft" }, "–"));
      return [first, second];
    });
    $("rates").replaceChildren(make("caption", { class: "unseen" }, "Every rate of each class, and its means"), make("thead", {}, head), make("tbody", {}, rows));
    $("whole").replaceChildren(make("caption", { class: "unseen" }, "Scores of the whole table"), make("thead", {}, make("tr", {}, ["score", "value", "signature"].map((x) => make("th", { scope: "col", class: x === "value" ? "number" : null }, x)))),
      make("tbody", {}, data.whole.map((score) => make("tr", {}, make("th", { scope: "row" }, score.title), cell(sheet.everywhere(score.score), { class: "value" }), make("td", {}, make("code", {}, signature(score.score, state)))))));
  };

  // properties: they do not change, but each 'no' can be inspected
  let explained = null;
  const showExplained = () => {
    if (explained && ![explained.before, explained.after].some((matrix) => same(matrix, state.matrix))) explained = null;
    $("why-not").hidden = !explained;
    if (!explained) return;
    const { title, name, scores } = explained;
    $("why-not").textContent = `${title} is not ${name}: it is ${decimals(scores[0])} on one matrix and ${decimals(scores[1])} on the other. Undo and redo switch between them.`;
  };
  const showProperties = () => {
    const names = data.properties[0].properties.map(({ name, statement }) => make("th", { scope: "col", title: statement }, name));
    const rows = data.properties.map(({ title, properties }) => make("tr", {}, make("th", { scope: "row" }, title), properties.map((each) => {
      if (each.holds) return make("td", {}, "yes");
      const button = make("button", { type: "button", class: "no", "aria-label": `no: show why ${title} is not ${each.name}` }, "no");
      button.addEventListener("click", () => {
        const names = matrices.letters(each.before.length), usual = { names, shares: null, ...matrices.DEFAULTS };
        explained = { ...each, title };
        change({ ...usual, matrix: each.before });
        change({ ...usual, matrix: each.after });
        if ($("h-matrix").getBoundingClientRect().bottom < 0) $("h-matrix").scrollIntoView();
      });
      return make("td", {}, button);
    })));
    $("properties").replaceChildren(make("caption", { class: "unseen" }, "Properties of scores"), make("thead", {}, make("tr", {}, make("th", { scope: "col" }, "score"), names)), make("tbody", {}, rows));
  };

  // everything
  let telling = 0;
  let written = location.hash; // if it is another one, somebody follows a link, and keeps it
  const address = (link) => {
    if (location.hash !== written) return;
    history.replaceState(null, "", `#${link}`);
    written = location.hash;
  };
  const show = () => {
    const n = state.matrix.flat().reduce((a, b) => a + b, 0);
    showMatrix();
    showExamples();
    showExplained();
    for (const name of Object.keys(matrices.DEFAULTS)) $(name).value = state[name];
    $("scope").disabled = state.undefined === "0";
    document.querySelector(".results").hidden = !n;
    const link = matrices.toLink(state);
    $("link").textContent = `${location.href.split("#")[0]}#${link}`;
    if (!n) { $("python").textContent = ""; address(link); return complain(new Wrong("There are no items to score: enter a count.")); }
    const sheet = new Sheet(state, state.matrix);
    const { both } = showAnswer(sheet);
    showDialects(sheet);
    const sweep = showShares(sheet);
    showRates(sheet);
    const rows = [f1.means[0], f1.of_averages[0], rateOf("precision").means[0], rateOf("recall").means[0], ...data.whole.map((x) => x.score)];
    $("python").textContent = matrices.toPython(state, rows.map((row) => signature(row, state)), UNDEFINED.indexOf(state.undefined) < 2);
    const first = !shown;
    shown = state;
    // what may wait until a drag pauses: the address, which browsers let change only so often
    clearTimeout(telling);
    if (first) sweep();
    telling = setTimeout(() => { address(link); sweep(); if (!first) said(`${both}.`); }, first ? 0 : 150);
    return true;
  };
  const open = () => {
    const text = location.hash.slice(1);
    written = location.hash;
    if (!text || text === matrices.toLink(state)) return;
    try { const next = matrices.fromLink(text, limits); if (shown) past.push(state); future.length = 0; state = next; complain(null); show(); } catch (error) {
      show();
      complain(error instanceof Wrong ? new Wrong(`This link cannot be opened: ${error.message} The matrix shown is another one.`) : error);
    }
  };
  $("brief").parentElement.addEventListener("click", () => $("answers").scrollIntoView({ block: "center" }));
  matrixEvents();
  exampleEvents();
  showProperties();
  $("shares").addEventListener("input", (event) => { moved = Number(event.target.dataset.share); change({ shares: matrices.withShare(state, moved, Number(event.target.value)) }, `share ${moved}`); });
  $("as-counted").addEventListener("click", () => change({ shares: null }));
  addEventListener("hashchange", open);
  if (location.hash.length > 1) open(); else show();
  if (!shown) show();
})();
