// A matrix as text: typed, pasted, in a link and as Python. Errors are reported in a sentence.
class Wrong extends Error {}
const matrices = (() => {
  const MOST_ITEMS = Number.MAX_SAFE_INTEGER;
  const SHARES = 1000; // shares of classes are whole numbers of this many parts
  const HIDDEN = /[\p{C}\p{Zl}\p{Zp}]/gu;

  // visible text: control and direction characters become escapes, as in Python
  const escaped = (c) => {
    const code = c.codePointAt(0), hex = code.toString(16);
    return code < 256 ? `\\x${hex.padStart(2, "0")}` : code < 65536 ? `\\u${hex.padStart(4, "0")}` : `\\U${hex.padStart(8, "0")}`;
  };
  const visible = (text) => text.replace(HIDDEN, escaped);
  const short = (text, most = 40) => { const seen = visible(text); return seen.length > most ? `${seen.slice(0, most - 1)}…` : seen; };

  const count = (text, where) => {
    const plain = text.trim().replace(/^[−–]/, "-").replace(/^(\d{1,3})((?:[,'’\u00a0\u202f ]\d{3})+)$/, (_, a, b) => a + b.replace(/\D/g, ""));
    if (plain === "") return 0; // as spreadsheets leave it
    if (!/^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i.test(plain)) throw new Wrong(`${where}: “${short(text)}” is not a number.`);
    const value = Number(plain);
    if (value < 0) throw new Wrong(`${where}: ${short(text)} is negative. Counts are whole numbers from 0 on.`);
    if (!Number.isInteger(value)) throw new Wrong(`${where}: ${short(text)} is not a whole number. Enter counts, not shares.`);
    if (value > MOST_ITEMS) throw new Wrong(`${where}: ${short(text)} is more than ${MOST_ITEMS.toLocaleString("en")}, beyond which a page cannot count.`);
    return value;
  };

  const checkNames = (names, longest) => {
    names.forEach((name, i) => {
      const where = `Class ${i + 1}`;
      if (name === "") throw new Wrong(`${where} has no name.`);
      if ([...name].length > longest) throw new Wrong(`${where} has a name of ${[...name].length.toLocaleString("en")} characters; at most ${longest} fit here.`);
      const same = names.indexOf(name);
      if (same < i) throw new Wrong(`Classes ${same + 1} and ${i + 1} are both called “${short(name)}”. Each needs its own name.`);
    });
  };
  const tidy = (name) => name.normalize("NFC").replace(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, "\ufffd").trim();

  const check = (state, limits) => {
    const k = state.matrix.length;
    if (k < 2 || k > limits.most) throw new Wrong(`This page takes 2 to ${limits.most} classes; these are ${k}. Python takes any number: whichf1 matrix, or wf.Counts.from_matrix.`);
    if (state.matrix.some((row) => row.length !== k)) throw new Wrong("A confusion matrix has as many rows as columns.");
    if (state.names.length !== k) throw new Wrong(`There are ${k} classes and ${state.names.length} names.`);
    checkNames(state.names, limits.longest);
    const items = state.matrix.flat().reduce((sum, x) => sum + x, 0);
    if (items > MOST_ITEMS) throw new Wrong(`These are more than ${MOST_ITEMS.toLocaleString("en")} items, beyond which a page cannot count.`);
    return state;
  };

  const letters = (k) => Array.from({ length: k }, (_, i) => String.fromCharCode(97 + i));

  // text copied from a spreadsheet, a program or a paper
  const cells = (text) => {
    let plain = text.replace(/^\ufeff/, "");
    const nested = /^\s*\[\s*\[/.test(plain); // a list of lists
    if (nested) plain = plain.replace(/\]\s*[,;]?\s*\[/g, "\n").replace(/[[\]]/g, "");
    const lines = plain.split(/\r\n|[\r\n\u2028\u2029]/).filter((line) => line.trim() !== "");
    const mark = ["\t", ";", "|", ","].find((x) => lines.some((line) => line.includes(x)));
    const rows = lines.map((line) => (mark ? line.split(mark) : line.trim().split(/\s+/)).map((x) => x.trim().replace(/^"(.*)"$/, "$1")));
    if (mark === "|" || nested) return rows.map((row) => row.filter((x, i) => x !== "" || (i > 0 && i < row.length - 1)));
    return rows;
  };
  // a count, or a placeholder for a missing or a wrong one
  const numeric = (text) => /^([-+−–]?[\d.,'’\s\u00a0\u202f]*\d[\d.,]*(e[-+]?\d+)?|[-+]?(nan|n\/?a|null|none|inf|infinity|∞)|[-–?])$/i.test(text);
  const parse = (text, rows, limits) => {
    let lines = cells(text);
    if (!lines.length) throw new Wrong("There is nothing to read. Paste a square table of counts, with or without names.");
    if (lines.length > 1 && lines[0].length === lines[1].length - 1) lines[0].unshift("");
    // names above: not only numbers after the first cell, no first cell, or a word above numbers
    const [first, ...others] = lines, below = others.map((line) => line[0] ?? "");
    const headed = others.length > 0 && (!first.slice(1).every(numeric) || first[0] === "" || (!numeric(first[0]) && below.every(numeric)));
    const named = !(headed ? below : [first[0], ...below]).every(numeric);
    const corner = headed && (named || lines[0][0] === "");
    let across = headed ? lines[0].slice(corner ? 1 : 0) : null;
    if (headed) lines = lines.slice(1);
    let down = named || corner ? lines.map((line) => line[0]) : null;
    if (down) lines = lines.map((line) => line.slice(1));
    const k = lines.length, wide = Math.max(0, ...lines.map((line) => line.length));
    const uneven = lines.findIndex((line) => line.length !== wide);
    if (uneven >= 0) throw new Wrong(`Row ${uneven + 1} has ${lines[uneven].length} cells and another has ${wide}. A confusion matrix has as many rows as columns.`);
    if (wide !== k) throw new Wrong(`There ${k === 1 ? "is 1 row" : `are ${k} rows`} and ${wide === 1 ? "1 column" : `${wide} columns`}. A confusion matrix has as many rows as columns.`);
    let matrix = lines.map((line, i) => line.map((x, j) => count(x, `Row ${i + 1}, column ${j + 1}`)));
    if (k < 2 || k > limits.most) check({ matrix, names: [] }, limits);
    across = across?.map(tidy); down = down?.map(tidy);
    if (across && across.length !== k) throw new Wrong(`There are ${k} columns and ${across.length} names above them.`);
    if (across && down) {
      const at = down.map((name) => across.indexOf(name));
      const lacking = at.indexOf(-1);
      if (lacking >= 0) throw new Wrong(`There is a row called “${short(down[lacking])}” and no such column. Rows and columns are the same classes.`);
      checkNames(across, limits.longest);
      matrix = matrix.map((row) => at.map((j) => row[j]));
    }
    const names = down ?? across ?? letters(k);
    const last = k - 1, total = (x) => x.slice(0, last).reduce((sum, y) => sum + y, 0);
    if (k > 2 && /^(total|totals|sum|all|Σ|gesamt|marginal)$/i.test(names[last]) && matrix.every((row) => row[last] === total(row))) {
      throw new Wrong(`The last row and column, “${short(names[last])}”, are totals. Leave them out.`);
    }
    if (rows === "predicted") matrix = matrix.map((_, i) => matrix.map((row) => row[i]));
    return check({ names, matrix }, limits);
  };

  // the state in the address of the page, after #
  const DEFAULTS = { classes: "declared", undefined: "0", scope: "empty" };
  const toLink = (state) => {
    const link = new URLSearchParams({ v: "1", m: state.matrix.map((row) => row.join(".")).join("_") });
    state.names.forEach((name) => link.append("c", name));
    if (state.shares) link.set("shares", state.shares.join("."));
    for (const name of Object.keys(DEFAULTS)) if (state[name] !== DEFAULTS[name]) link.set(name, state[name]);
    return link.toString();
  };
  const fromLink = (text, limits) => {
    const link = new URLSearchParams(text);
    if (link.get("v") !== "1") throw new Wrong("it belongs to another version of this page.");
    const rows = (link.get("m") ?? "").split("_").map((row) => row.split("."));
    if (!rows.flat().every((x) => /^\d{1,16}$/.test(x))) throw new Wrong("its counts cannot be read.");
    const state = { matrix: rows.map((row) => row.map(Number)), names: link.getAll("c").map(tidy), shares: null };
    if (!state.names.length) state.names = letters(rows.length);
    for (const [name, usual] of Object.entries(DEFAULTS)) {
      state[name] = link.get(name) ?? usual;
      if (!limits.options[name].includes(state[name])) throw new Wrong(`“${short(state[name])}” is no choice of ${name}.`);
    }
    check(state, limits);
    if (link.has("shares")) {
      const shares = link.get("shares").split(".").map((x) => (/^\d{1,4}$/.test(x) ? Number(x) : NaN));
      const fine = shares.length === rows.length && shares.reduce((sum, x) => sum + x, 0) === SHARES
        && shares.every((x, i) => x === 0 || state.matrix[i].some(Boolean));
      if (!fine) throw new Wrong("its class shares do not fit the matrix.");
      state.shares = shares;
    }
    return state;
  };

  // shares of the classes: one is set, the others keep their proportions
  const support = (matrix) => matrix.map((row) => row.reduce((sum, x) => sum + x, 0));
  const rounded = (parts, total) => {
    const sum = parts.reduce((a, b) => a + b, 0);
    if (!sum) return parts;
    const exact = parts.map((x) => (x / sum) * total), whole = exact.map(Math.floor);
    const order = exact.map((x, i) => [x - whole[i], i]).sort((a, b) => b[0] - a[0] || a[1] - b[1]);
    for (let left = total - whole.reduce((a, b) => a + b, 0), i = 0; left > 0; left--, i++) whole[order[i % order.length][1]]++;
    return whole;
  };
  const usualShares = (matrix) => rounded(support(matrix), SHARES);
  const withShare = (state, at, share) => {
    const now = state.shares ?? usualShares(state.matrix), full = support(state.matrix).map((x) => x > 0);
    const others = now.map((x, i) => (i === at || !full[i] ? 0 : x));
    const some = others.some(Boolean) ? others : full.map((is, i) => (is && i !== at ? 1 : 0));
    if (!some.some(Boolean)) return now;
    const next = rounded(some, SHARES - share);
    next[at] = share;
    return next;
  };
  // the factor for the items of each class
  const weights = (state, shares = state.shares) => {
    const rows = support(state.matrix), n = rows.reduce((a, b) => a + b, 0);
    return rows.map((row, i) => (row ? (shares[i] / SHARES) * n / row : 1));
  };
  const reweighted = (state, shares = state.shares) => {
    if (!shares) return state.matrix;
    const times = weights(state, shares);
    return state.matrix.map((row, i) => row.map((x) => x * times[i]));
  };

  // Python that gives the same numbers
  const quoted = (text) => `"${[...text].map((c) => (c === "\\" || c === '"' ? `\\${c}` : c.match(HIDDEN) ? escaped(c) : c)).join("")}"`;
  const listed = (matrix) => `[\n${matrix.map((row) => `    [${row.join(", ")}],`).join("\n")}\n]`;
  const toPython = (state, signatures, gap) => {
    const lines = ["import whichf1 as wf", "", `matrix = ${listed(state.matrix)}  # a row is a true class`];
    lines.push(`labels = [${state.names.map(quoted).join(", ")}]`, 'counts = wf.Counts.from_matrix(matrix, rows="true", labels=labels)', "");
    lines.push("signatures = [", ...signatures.map((x) => `    ${quoted(x)},`), "]", "scores = {x: wf.Definition.parse(x)(counts).value for x in signatures}");
    lines.push("for signature, score in scores.items():", '    print(f"{score:.6f}  {signature}")');
    if (gap) {
      lines.push("", `m = wf.macro_f1(counts, classes=${quoted(state.classes)}, undefined=${state.undefined})`);
      lines.push('print(f"gap {m.gap:.6f}, below {m.supremum:.6f}")', "print(m.terms)  # by pairs of classes; they add up to the gap");
    }
    lines.push("", "for group in wf.dialects.table(counts).groups:  # what libraries would print", '    print(f"{group.value:.6f}  {\', \'.join(group.names)}")', "");
    if (state.shares) {
      lines.push("# the same at other shares of the classes", `weights = [${weights(state).join(", ")}]`);
      lines.push("cells = [", "    (true, predicted, n * weight)", "    for true, row, weight in zip(labels, matrix, weights)", "    for predicted, n in zip(labels, row)", "    if n * weight", "]");
      lines.push("true, predicted, weight = map(list, zip(*cells))", "shifted = wf.count(true, predicted, weights=weight, labels=labels)");
      lines.push("for signature in signatures:", '    print(f"{wf.Definition.parse(signature)(shifted).value:.6f}  {signature}")', "");
    }
    return lines.join("\n");
  };
  return { parse, count, check, tidy, visible, short, letters, toLink, fromLink, toPython, support, usualShares, withShare, reweighted, DEFAULTS, SHARES };
})();
