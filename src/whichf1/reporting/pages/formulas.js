// Formulas: runs the steps that javascript.py wrote down. No formula is written here.
const formulas = (() => {
  const rank = (x) => (Array.isArray(x) ? 1 + rank(x[0]) : 0);
  // f of each element, with NumPy's rules for arrays of different shapes
  const zip = (f, inputs) => {
    const ranks = inputs.map(rank), most = Math.max(...ranks);
    if (most === 0) return f(...inputs);
    const whole = inputs.filter((_, i) => ranks[i] === most).map((x) => x.length);
    const length = whole.find((n) => n !== 1) ?? 1;
    return Array.from({ length }, (_, at) => zip(f, inputs.map((x, i) =>
      (ranks[i] < most ? x : x[x.length === 1 ? 0 : at]))));
  };
  // along the last axis
  const along = (f) => (x) => (rank(x) > 1 ? x.map(along(f)) : f(x));
  // in the order of NumPy, so that the last bit agrees: eight sums side by side
  const total = (x, from = 0, n = x.length) => {
    if (n < 8) return x.slice(from, from + n).reduce((sum, y) => sum + y, 0);
    if (n > 128) {
      const half = (n >> 1) - ((n >> 1) % 8);
      return total(x, from, half) + total(x, from + half, n - half);
    }
    const s = x.slice(from, from + 8), even = n - (n % 8);
    for (let i = 8; i < even; i++) s[i % 8] += x[from + i];
    const sum = ((s[0] + s[1]) + (s[2] + s[3])) + ((s[4] + s[5]) + (s[6] + s[7]));
    return x.slice(from + even, from + n).reduce((rest, y) => rest + y, sum);
  };
  const running = (x) => { let sum = 0; return x.map((y) => (sum += y)); };
  const elementwise = {
    add: (x, y) => x + y, subtract: (x, y) => x - y, multiply: (x, y) => x * y, divide: (x, y) => x / y,
    minimum: Math.min, maximum: Math.max, negative: (x) => -x, sqrt: Math.sqrt,
    equal: (x, y) => x === y, not_equal: (x, y) => x !== y,
    greater: (x, y) => x > y, greater_equal: (x, y) => x >= y, less: (x, y) => x < y, less_equal: (x, y) => x <= y,
    and: (x, y) => x && y, or: (x, y) => x || y, not: (x) => !x, where: (is, yes, no) => (is ? yes : no),
  };
  const constant = (x) => (Array.isArray(x) ? x.map(constant) : Number(x));
  const operations = {
    sum: along(total), cumsum: along(running), lift: (x) => (Array.isArray(x) ? x.map((y) => operations.lift(y)) : [x]),
    first: along((x) => x[0]), head: along((x) => x.slice(0, 1)), front: along((x) => x.slice(0, -1)),
    reverse: along((x) => x.slice().reverse()), concatenate: (...parts) => parts.flat(),
    nonzero: (x) => x.flatMap((y, at) => (y ? [at] : [])), without: (x, y) => x.filter((z) => !y.includes(z)),
  };
  for (const [name, f] of Object.entries(elementwise)) operations[name] = (...inputs) => zip(f, inputs);

  // the result of a step of a program for its inputs; each step runs once
  const run = (program, at, given) => {
    const known = (given.known ??= new Map());
    if (!known.has(at)) {
      const [name, ...inputs] = program[at];
      known.set(at, name === "number" ? constant(inputs[0])
        : name === "by_classes" ? constant(inputs[given.classes - 1])
          : inputs.length ? operations[name](...inputs.map((x) => run(program, x, given))) : given[name]);
    }
    return known.get(at);
  };

  // a matrix with true classes in rows, as programs expect it
  const counted = (matrix) => {
    const classes = matrix.length, zeros = () => new Array(classes).fill(0);
    const given = { classes, tp: zeros(), fp: zeros(), fn: zeros(), tn: zeros(), distances: zeros() };
    matrix.forEach((row, i) => row.forEach((count, j) => {
      given.distances[Math.abs(i - j)] += count;
      if (i === j) given.tp[i] += count;
      else { given.fn[i] += count; given.fp[j] += count; }
      for (let k = 0; k < classes; k++) if (k !== i && k !== j) given.tn[k] += count;
    }));
    return given;
  };
  // of some of the classes
  const chosen = (given, codes) => {
    const part = { classes: codes.length };
    for (const name of ["tp", "fp", "fn", "tn"]) part[name] = codes.map((code) => given[name][code]);
    return part;
  };
  return { run, counted, chosen };
})();
