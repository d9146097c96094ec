// Drawings that answer to the pointer, and the part of the page about topics.
(() => {
  const { show, point, keep } = choice;

  // Where the corners of a line lie in its drawing.
  const corners = (line) =>
    (line.querySelector("path").getAttribute("d").match(/-?[\d.]+/g) || [])
      .map(Number).reduce((all, one, at) => (at % 2 ? all[all.length - 1].push(one) : all.push([one]), all), []);

  const distance = ([x, y], [a, b], [c, d]) => {
    const length = (c - a) ** 2 + (d - b) ** 2;
    const part = length ? Math.min(1, Math.max(0, ((x - a) * (c - a) + (y - b) * (d - b)) / length)) : 0;
    return Math.hypot(x - a - part * (c - a), y - b - part * (d - b));
  };

  // The line of a drawing that is nearest to a place, if it is near.
  function nearest(svg, place) {
    let found = null, least = 14;
    for (const line of svg.querySelectorAll(".line[data-run], .line[data-topic]")) {
      line.corners = line.corners || corners(line);
      line.corners.forEach((corner, at) => {
        const far = distance(place, line.corners[at - 1] || corner, corner);
        if (far < least) [found, least] = [line, far];
      });
    }
    return found;
  }

  function placeIn(svg, event) {
    const found = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
    return [found.x, found.y];
  }

  // What is said of a line at the point of its curve that is nearest to x.
  function read(figure, line, x) {
    const out = figure.querySelector(".readout");
    if (!line) {
      out.textContent = "";
      return;
    }
    const places = figure.dataset.x.split(" ").map(Number);
    const at = places.reduce((best, one, number) => (Math.abs(one - x) < Math.abs(places[best] - x) ? number : best), 0);
    const kind = line.dataset.run === undefined ? "topic" : "run";
    const value = kind === "run"
      ? figure.querySelector(`tr[data-run="${line.dataset.run}"]`).cells[at + 1].textContent
      : topics.at(figure, line.dataset.topic, at);
    const name = line.querySelector("title").textContent;
    out.textContent = `${name}, ${figure.dataset.labels.split(" ")[at]}: ${value || "no value"}`;
    const link = kind === "topic" ? topics.link(line.dataset.topic) : null;
    if (link) out.append(" ", link);
  }

  for (const svg of document.querySelectorAll("figure svg")) {
    const figure = svg.closest("figure");
    const under = (event) => {
      const place = placeIn(svg, event);
      return [nearest(svg, place), place[0]];
    };
    const kindOf = (line) => (line.dataset.run === undefined ? "topic" : "run");
    svg.addEventListener("pointermove", (event) => {
      const [line, x] = under(event);
      point("run", line && kindOf(line) === "run" ? line.dataset.run : null);
      point("topic", line && kindOf(line) === "topic" ? line.dataset.topic : null);
      if (line) read(figure, line, x);
    });
    svg.addEventListener("pointerleave", () => {
      point("run", null);
      point("topic", null);
    });
    svg.addEventListener("click", (event) => {
      const [line, x] = under(event);
      if (line) keep(kindOf(line), line.dataset[kindOf(line)]);
      read(figure, line, x);
    });
  }

  const source = document.getElementById("data");
  const topics = source ? ofTopics(JSON.parse(source.textContent)) : null;
  show();

  // The part of the page about topics.
  function ofTopics(data) {
    const table = document.getElementById("by-topic");
    const measure = document.getElementById("measure");
    const search = document.getElementById("search");
    const found = document.getElementById("found");
    const run = document.getElementById("run");
    const links = new Map(data.links.map(([of, topic, path]) => [`${of} ${topic}`, path]));

    // The value as it is printed; null where there is none.
    function text(column, of, topic) {
      return column.runs[of][topic];
    }

    function element(name, content, attributes) {
      const one = document.createElement(name);
      for (const [key, value] of Object.entries(attributes || {})) one.setAttribute(key, value);
      one.append(...[].concat(content));
      return one;
    }

    function head(name, kind) {
      return element("th", element("button", name, { type: "button" }), { scope: "col", "data-kind": kind });
    }

    function row(topic, column, withLines) {
      const name = data.topics[topic];
      const values = data.runs.map((_, of) => text(column, of, topic));
      const known = values.filter((one) => one !== null).map((one) => column.sign * Number(one));
      const best = column.sign && known.length > 1 ? Math.max(...known) : null;
      const shown = withLines
        ? element("button", name, { type: "button", class: "topic", "data-topic": topic, "aria-pressed": "false" })
        : name;
      const cells = values.map((value, of) => {
        const path = links.get(`${of} ${topic}`);
        const content = value === null ? "" : path ? element("a", value, { href: path }) : value;
        const own = { "data-value": value === null ? "" : value };
        if (value !== null && column.sign * Number(value) === best) own.class = "best";
        return element("td", content, own);
      });
      return element("tr", [element("th", shown, { scope: "row", "data-value": name }), ...cells], { "data-topic": topic });
    }

    function fill() {
      const column = data.columns[measure.value];
      const heads = element("tr", [head("topic", "text"), ...data.runs.map((name) => head(name, "number"))]);
      const body = element("tbody", data.topics.map((_, topic) => row(topic, column, run !== null)));
      const parts = [element("caption", `${column.name} by topic`, { class: "unseen" }), element("thead", heads), body];
      if (column.means) {
        const means = column.means.map((one) => element("td", one));
        parts.push(element("tfoot", element("tr", [element("th", "all", { scope: "row" }), ...means])));
      }
      table.replaceChildren(...parts);
      filter();
    }

    function filter() {
      const wanted = search.value.trim().toLowerCase().split(/\s+/);
      let count = 0;
      for (const one of table.tBodies[0].rows) {
        const name = one.cells[0].dataset.value.toLowerCase();
        one.hidden = !wanted.every((word) => name.includes(word));
        count += !one.hidden;
      }
      found.textContent = `${count} of ${data.topics.length}`;
      show();
    }

    function path(curve, xs, values) {
      const y = (value) => curve.bottom - ((value - curve.low) / (curve.high - curve.low)) * (curve.bottom - curve.top);
      const known = xs.map((x, at) => [x, values[at]]).filter(([, value]) => value !== null && value !== undefined);
      return known.length ? "M" + known.map(([x, value]) => `${x},${y(Number(value)).toFixed(1)}`).join("L") : "";
    }

    function line(name, kind, d, key) {
      const space = "http://www.w3.org/2000/svg";
      const group = document.createElementNS(space, "g");
      const title = document.createElementNS(space, "title");
      const drawn = document.createElementNS(space, "path");
      title.textContent = name;
      drawn.setAttribute("d", d);
      group.setAttribute("class", kind);
      if (key !== undefined) group.setAttribute("data-topic", key);
      group.append(title, drawn);
      return group;
    }

    function draw() {
      for (const figure of document.querySelectorAll("figure.of-topics")) {
        const curve = data.curves[figure.dataset.curve];
        const svg = figure.querySelector("svg");
        const xs = figure.dataset.x.split(" ");
        for (const old of svg.querySelectorAll(".line, .mean")) old.remove();
        data.topics.forEach((name, topic) => {
          const d = path(curve, xs, curve.columns.map((at) => text(data.columns[at], run.value, topic)));
          if (d) svg.append(line(name, "line", d, topic));
        });
        const mean = curve.means.length ? path(curve, xs, curve.means[run.value]) : "";
        if (mean) svg.append(line("mean", "mean", mean));
      }
      show();
    }

    measure.addEventListener("change", fill);
    search.addEventListener("input", filter);
    fill();
    if (run) {
      run.addEventListener("change", draw);
      draw();
    }
    return {
      at: (figure, topic, at) => text(data.columns[data.curves[figure.dataset.curve].columns[at]], run.value, topic),
      link: (topic) => {
        const path = links.get(`${run.value} ${topic}`);
        return path ? element("a", "why", { href: path }) : null;
      },
    };
  }
})();
