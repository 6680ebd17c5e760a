// The slider: counts at each threshold from the ranking, and scores from the program.
{
  const find = (id) => document.getElementById(id);
  const arrays = { Uint8Array, Uint32Array, Float64Array };
  const unpacked = ([kind, text]) => {
    const letters = atob(text), bytes = new Uint8Array(letters.length);
    for (let at = 0; at < bytes.length; at++) bytes[at] = letters.charCodeAt(at);
    return new arrays[kind](bytes.buffer);
  };
  // how many items have at least each score; the first is for no item
  const summed = (counts) => {
    const sums = new Float64Array(counts.length + 1);
    for (let at = 0; at < counts.length; at++) sums[at + 1] = sums[at] + counts[at];
    return sums;
  };
  // a million scores take a moment: they are decoded when the slider is first moved
  let known;
  const ranking = () => {
    if (!known) {
      const data = JSON.parse(find("data").textContent);
      const [score, positives, negatives] = [data.score, data.positives, data.negatives].map(unpacked);
      known = { ...data, score, tp: summed(positives), fp: summed(negatives) };
    }
    return known;
  };
  const slider = find("threshold"), typed = find("threshold-value");
  const n = Number(slider.max);
  const shown = [...document.querySelectorAll("#rates dd")];
  const cells = [...document.querySelectorAll("#at-threshold td.cell")];

  const figure = document.querySelector("#thresholds svg.picture");
  const mark = document.createElementNS("http://www.w3.org/2000/svg", "path");
  mark.setAttribute("class", "now");
  if (figure) figure.append(mark);
  const place = (threshold) => {
    if (!figure) return;
    const [left, wide, low, high] = figure.dataset.x.split(" ").map(Number);
    const [top, tall] = figure.dataset.y.split(" ").map(Number);
    const share = Math.min(1, Math.max(0, (threshold - low) / (high - low)));
    mark.setAttribute("d", `M${(left + wide * share).toFixed(1)} ${top}v${tall}`);
  };

  const text = (value) => (Number.isNaN(value) ? "undefined"
    : Number.isFinite(value) ? value.toFixed(4).replace("-", "−") : "infinite");
  const show = (at) => {
    const data = ranking(), { score, tp, fp } = data;
    const p = data.positive, q = 1 - p, matrix = [[0, 0], [0, 0]];
    matrix[p][p] = tp[at];
    matrix[q][p] = fp[at];
    matrix[p][q] = tp[n] - tp[at];
    matrix[q][q] = fp[n] - fp[at];
    cells.forEach((cell, i) => {
      const [row, column] = [i >> 1, i & 1], count = matrix[row][column];
      const total = matrix[row][0] + matrix[row][1];
      cell.textContent = count.toLocaleString("en", { maximumSignificantDigits: 6 + 10 * Number.isInteger(count) });
      cell.dataset.value = count;
      cell.className = `cell s${total ? Math.ceil(8 * count / total - 1e-9) : 0}${row === column ? " hit" : ""}`;
    });
    const given = formulas.counted(matrix);
    data.values.forEach((step, i) => {
      const value = formulas.run(data.steps, step, given);
      const one = Array.isArray(value) ? value[p] : value;
      shown[i].dataset.value = one;
      shown[i].textContent = text(one);
    });
    const threshold = at ? score[at - 1] : Infinity;
    typed.value = at ? String(threshold) : "";
    place(at ? threshold : Infinity);
    const said = at ? `scores of at least ${threshold}` : "no item";
    slider.setAttribute("aria-valuetext", `${said}: ${matrix[p][p]} of ${tp[n]} found, ${matrix[q][p]} false alarms`);
  };
  // to the right, the threshold rises and fewer items have such a score
  const go = (at) => { slider.value = n - at; show(at); };
  slider.addEventListener("input", () => show(n - Number(slider.value)));
  // the scores fall: how many are at least what is typed
  typed.addEventListener("change", () => {
    const wanted = Number(typed.value), { score } = ranking();
    let low = 0, high = n;
    if (typed.value === "" || Number.isNaN(wanted)) return go(0);
    while (low < high) {
      const middle = (low + high) >> 1;
      if (score[middle] >= wanted) low = middle + 1; else high = middle;
    }
    go(low);
  });
  find("threshold-best").addEventListener("click", () => go(ranking().best));
  place(typed.value === "" ? Infinity : Number(typed.value));
}
