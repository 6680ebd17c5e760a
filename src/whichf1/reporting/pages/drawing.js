// Drawing: elements made by name, numbers as text, and pictures as SVG. Text never becomes markup.
const make = (name, attributes = {}, ...children) => fill(document.createElement(name), attributes, children);
const draw = (name, attributes = {}, ...children) => fill(document.createElementNS("http://www.w3.org/2000/svg", name), attributes, children);
const fill = (element, attributes, children) => {
  for (const [key, value] of Object.entries(attributes)) if (value !== null) element.setAttribute(key, value);
  element.append(...children.flat(Infinity).filter((child) => child !== null));
  return element;
};
const decimals = (x, digits = 4) => {
  if (Number.isNaN(x)) return "undefined";
  if (!Number.isFinite(x)) return x > 0 ? "∞" : "−∞";
  if (Math.abs(x) >= 1000) return x.toLocaleString("en", { maximumFractionDigits: 1 }).replace("-", "−");
  const text = x.toFixed(digits);
  return Number(text) === 0 ? text.replace("-", "") : text.replace("-", "−");
};
const percent = (x) => (x > 0 && x < 0.01 ? "< 1 %" : x < 1 && x > 0.99 ? "> 99 %" : `${Math.round(100 * x)} %`);
const whole = (n) => n.toLocaleString("en");
const items = (n) => `${whole(n)} ${n === 1 ? "item" : "items"}`;
// the shade of a cell with this fraction, from s0 to s8; s5 and darker are half or more
const shade = (share) => `s${!(share > 0) ? 0 : Math.min(8, 1 + Math.floor(8 * share))}`;
// a cell with a number; its exact value is an attribute
const cell = (value, attributes = {}) => make("td", { "data-value": String(value), ...attributes, class: `number ${attributes.class ?? ""}`.trim() }, decimals(value));

const pictures = (() => {
  const picture = (width, height, finding, ...marks) => draw("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": finding }, marks);
  const text = (x, y, words, attributes = {}) => draw("text", { x, y, ...attributes }, words);
  const path = (points, attributes) => draw("path", { d: points.map(([x, y], i) => `${i ? "L" : "M"}${x.toFixed(2)} ${y.toFixed(2)}`).join(""), ...attributes });
  const diamond = (x, y, r, attributes) => path([[x - r, y], [x, y - r], [x + r, y], [x, y + r], [x - r, y]], attributes);

  const key = (mark, words) => make("li", {}, draw("svg", { viewBox: "0 0 30 12", class: "key", "aria-hidden": "true" }, mark), words);

  const pen = document.createElement("canvas").getContext("2d");
  const width = (words) => { pen.font = `12px ${getComputedStyle(document.body).fontFamily}`; return pen.measureText(words).width; };
  const meet = ([a, b, w, h], [c, d, v, g]) => a < c + v && c < a + w && b < d + g && d < b + h;

  // names next to points, where they do not overlap; returns how many had no room
  const place = (points, taken, bounds) => {
    const texts = [];
    let lacking = 0;
    for (const { x, y, r, name } of points) {
      const wide = width(name) + 2, tall = 13;
      const spots = [[x + r + 4, y + 4, "start"], [x - r - 4, y + 4, "end"], [x, y - r - 5, "middle"], [x, y + r + 14, "middle"],
        [x + r + 2, y - r - 2, "start"], [x - r - 2, y - r - 2, "end"], [x + r + 2, y + r + 11, "start"], [x - r - 2, y + r + 11, "end"]];
      const boxes = spots.map(([a, b, anchor]) => [a - (anchor === "end" ? wide : anchor === "middle" ? wide / 2 : 0), b - tall + 3, wide, tall]);
      const fits = boxes.findIndex(([a, b, w, h]) => a >= bounds[0] && b >= bounds[1] && a + w <= bounds[2] && b + h <= bounds[3]
        && !taken.some((other) => meet([a, b, w, h], other)));
      if (fits < 0) { lacking++; continue; }
      taken.push(boxes[fits]);
      texts.push(text(spots[fits][0], spots[fits][1], name, { "text-anchor": spots[fits][2], class: "name" }));
    }
    return [texts, lacking];
  };

  // recall across, precision up; averaged F1 is a contour, F1 of averages the contour of the mean
  const plane = ({ names, precision, recall, sizes, mean, averaged, ofAverages, finding }, contour, levels) => {
    const W = 440, H = 430, L = 48, T = 12, side = 370, x = (r) => L + side * r, y = (p) => T + side * (1 - p);
    const line = (f1) => {
      if (!(f1 > 0)) return [[x(0), y(1)], [x(0), y(0)], [x(1), y(0)]];
      const start = contour(f1, 1); // the contour is symmetric: here precision is 1
      return Array.from({ length: 61 }, (_, i) => { const r = start + (1 - start) * (i / 60) ** 3; return [x(r), y(i ? contour(f1, r) : 1)]; });
    };
    const marks = [draw("rect", { x: L, y: T, width: side, height: side, class: "frame" })];
    for (let t = 0; t <= 5; t++) {
      marks.push(text(x(t / 5), T + side + 17, (t / 5).toFixed(1), { "text-anchor": "middle" }), text(L - 7, y(t / 5) + 4, (t / 5).toFixed(1), { "text-anchor": "end" }));
    }
    marks.push(text(L + side / 2, H - 6, "recall", { "text-anchor": "middle" }), draw("text", { transform: `translate(13 ${T + side / 2}) rotate(-90)`, "text-anchor": "middle" }, "precision"));
    const largest = Math.max(...sizes, 1);
    const points = names.map((name, i) => ({ x: x(recall[i]), y: y(precision[i]), r: 4 + 8 * Math.sqrt(sizes[i] / largest), name: matrices.short(name, 16) }))
      .filter((point) => Number.isFinite(point.x + point.y));
    const taken = points.map((point) => [point.x - point.r, point.y - point.r, 2 * point.r, 2 * point.r]);
    for (const level of levels) {
      marks.push(path(line(level), { class: "faint" }));
      const box = [x(1) - 42, y(contour(level, 1)) - 15, 40, 13];
      if (taken.some((other) => meet(box, other))) continue;
      marks.push(text(x(1) - 4, box[1] + 11, `F1 ${level}`, { "text-anchor": "end", class: "faint" }));
      taken.push(box);
    }
    marks.push(path([[x(0), y(0)], [x(1), y(1)]], { class: "diagonal" }));
    if (Number.isFinite(averaged)) marks.push(path(line(averaged), { class: "one" }));
    if (Number.isFinite(ofAverages)) marks.push(path(line(ofAverages), { class: "two" }));
    for (const point of points) marks.push(draw("circle", { cx: point.x, cy: point.y, r: point.r, class: "class" }));
    if (mean.every(Number.isFinite)) {
      marks.push(diamond(x(mean[0]), y(mean[1]), 7, { class: "mean" }));
      taken.push([x(mean[0]) - 7, y(mean[1]) - 7, 14, 14]);
    }
    const [texts, lacking] = place(points, taken, [L + 2, T, L + side - 2, T + side]);
    const hidden = points.length < names.length ? names.length - points.length : 0;
    const left = [lacking && `${lacking} without room for a name`, hidden && `${hidden} undefined`].filter(Boolean);
    const legend = make("ul", { class: "legend" },
      key(path([[0, 6], [30, 6]], { class: "one" }), "averaged F1: the mean of the classes’ F1, a contour"),
      key([path([[0, 6], [30, 6]], { class: "two" }), diamond(15, 6, 5, { class: "mean" })], "F1 of averages: the contour of mean precision and mean recall"),
      key(draw("circle", { cx: 15, cy: 6, r: 5, class: "class" }), `a class; its area grows with its items${left.length ? ` (${left.join(", ")})` : ""}`));
    return [picture(W, H, finding, marks, texts), legend];
  };

  // both scores on one scale from 0 to 1, and the gap between them
  const scale = (averaged, ofAverages, finding) => {
    const W = 440, L = 14, wide = 412, x = (value) => L + wide * value, Y = 28;
    const marks = [draw("line", { x1: x(0), x2: x(1), y1: Y, y2: Y, class: "axis" })];
    for (let t = 0; t <= 10; t++) {
      marks.push(draw("line", { x1: x(t / 10), x2: x(t / 10), y1: Y, y2: Y + 5, class: "axis" }));
      if (t % 2 === 0) marks.push(text(x(t / 10), Y + 20, (t / 10).toFixed(1), { "text-anchor": "middle" }));
    }
    const named = (value, height, words, ink) => text(Math.min(Math.max(x(value), 44), W - 50), height, words, { "text-anchor": "middle", class: ink });
    if (Number.isFinite(averaged + ofAverages)) marks.push(draw("line", { x1: x(averaged), x2: x(ofAverages), y1: Y, y2: Y, class: "gap" }));
    // one name above and one below: they never meet
    if (Number.isFinite(ofAverages)) marks.push(diamond(x(ofAverages), Y, 9, { class: "mean" }), named(ofAverages, Y + 37, "F1 of averages", "two"));
    if (Number.isFinite(averaged)) marks.push(draw("circle", { cx: x(averaged), cy: Y, r: 7, class: "dot" }), named(averaged, Y - 14, "averaged F1", "one"));
    return picture(W, 74, finding, marks);
  };

  // several scores as the fraction of one class goes from 0 to 1
  const sweep = (lines, at, label, finding) => {
    const W = 440, H = 262, L = 40, T = 8, wide = 378, tall = 206;
    const every = lines.flatMap((line) => line.values).filter(Number.isFinite);
    const low = Math.min(0, ...every), x = (share) => L + wide * share, y = (value) => T + tall * (1 - (value - low) / (1 - low));
    const marks = [draw("rect", { x: L, y: T, width: wide, height: tall, class: "frame" })];
    for (let t = Math.ceil(low * 5 - 1e-9); t <= 5; t++) marks.push(text(L - 6, y(t / 5) + 4, decimals(t / 5, 1), { "text-anchor": "end" }));
    for (let t = 0; t <= 5; t++) marks.push(text(x(t / 5), T + tall + 17, `${20 * t} %`, { "text-anchor": "middle" }));
    marks.push(text(L + wide / 2, H - 8, label, { "text-anchor": "middle" }));
    if (at !== null) marks.push(draw("line", { x1: x(at), x2: x(at), y1: T, y2: T + tall, class: "now" }));
    const entries = lines.map((line, i) => {
      const points = line.values.map((value, j) => [x((j + 1) / (line.values.length + 1)), y(value), value]).filter((point) => Number.isFinite(point[2]));
      if (points.length) marks.push(path(points, { class: `series w${i}` }));
      return key(path([[0, 6], [30, 6]], { class: `series w${i}` }), line.title);
    });
    return [picture(W, H, finding, marks), make("ul", { class: "legend columns" }, entries)];
  };
  return { plane, scale, sweep };
})();
