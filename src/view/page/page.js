"use strict";
// The page of a report: plots that answer to the pointer, tables as CSV, the controls of the 3-D view. The plots
// themselves are drawn by cairn; without this script the page is complete but for the view.

let data = JSON.parse(document.getElementById("cairn-data").textContent);
const find = (id) => document.getElementById(id);

function show(value) {
  if (value === null || value === undefined || Number.isNaN(value)) return "–";
  if (value !== 0 && (Math.abs(value) >= 1e5 || Math.abs(value) < 1e-3)) return value.toExponential(3);
  return String(Number(value.toPrecision(5)));
}

/* ---- tables as CSV ---- */

function csvOf(run) {
  const quote = (text) => (/[",\n]/.test(text) ? '"' + text.replace(/"/g, '""') + '"' : text);
  const lines = [run.columns.map((c) => quote(c.name + (c.unit === "1" ? "" : " (" + c.unit + ")"))).join(",")];
  for (let i = 0; i < (run.columns[0] || { values: [] }).values.length; i++)
    lines.push(run.columns.map((c) => (c.values[i] === null ? "" : c.values[i])).join(","));
  return lines.join("\n") + "\n";
}

function download(name, blob) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

for (const button of document.querySelectorAll("button[data-csv]"))
  button.addEventListener("click", () => {
    const run = data.runs[Number(button.dataset.csv)];
    download(run.name + ".csv", new Blob([csvOf(run)], { type: "text/csv" }));
  });

/* ---- plots ---- */

const svgNode = (name, className) => {
  const node = document.createElementNS("http://www.w3.org/2000/svg", name);
  node.setAttribute("class", className);
  return node;
};

// A line across the plot at a time.
function placeLine(figure, line, time) {
  const a = figure.area, x = a.left + ((time - a.x0) / (a.x1 - a.x0)) * (a.right - a.left);
  const seen = x >= a.left - 0.5 && x <= a.right + 0.5;
  line.setAttribute("visibility", seen ? "visible" : "hidden");
  for (const [key, value] of [["x1", x], ["x2", x], ["y1", a.top], ["y2", a.bottom]]) line.setAttribute(key, value);
  return x;
}

function nearest(times, time) {
  let low = 0, high = times.length - 1;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (times[middle] <= time) low = middle;
    else high = middle;
  }
  return time - times[low] <= times[high] - time ? low : high;
}

function describe(figure, tip, time) {
  tip.textContent = "";
  figure.curves.forEach((curve) => {
    const run = data.runs[curve.run], times = run.columns[0].values, i = nearest(times, time);
    if (!tip.firstChild) tip.append("t = " + show(times[i]) + " s");
    tip.append(document.createElement("br"));
    const dot = document.createElement("i");
    dot.className = "d" + curve.ink;
    tip.append(dot, curve.label + "  " + show(run.columns[curve.column].values[i]));
  });
}

let figures = [];

function preparePlots() {
  figures = [...document.querySelectorAll("figure.chart")].map((node) => {
    const svg = node.querySelector("svg"), figure = { node, svg };
    figure.area = JSON.parse(node.dataset.area);
    figure.curves = JSON.parse(node.dataset.curves);
    figure.now = svgNode("line", "now");
    figure.probe = svgNode("line", "probe");
    figure.now.setAttribute("visibility", "hidden");
    figure.probe.setAttribute("visibility", "hidden");
    svg.append(figure.now, figure.probe);
    const tip = document.createElement("div");
    tip.className = "tip";
    tip.hidden = true;
    node.append(tip);
    node.addEventListener("pointermove", (event) => {
      const box = svg.getBoundingClientRect(), scale = box.width / svg.viewBox.baseVal.width, a = figure.area;
      const x = (event.clientX - box.left) / scale;
      if (x < a.left || x > a.right) return (tip.hidden = true), figure.probe.setAttribute("visibility", "hidden");
      const time = a.x0 + ((x - a.left) / (a.right - a.left)) * (a.x1 - a.x0);
      placeLine(figure, figure.probe, time);
      describe(figure, tip, time);
      tip.hidden = false;
      const right = x > (a.left + a.right) / 2;
      tip.style.left = right ? "" : x * scale + 24 + "px";
      tip.style.right = right ? box.width - x * scale + 24 + "px" : "";
      tip.style.top = a.top * scale + 16 + "px";
    });
    node.addEventListener("pointerleave", () => {
      tip.hidden = true;
      figure.probe.setAttribute("visibility", "hidden");
    });
    return figure;
  });
}
preparePlots();

/* ---- the 3-D view ---- */

const state = { frame: 0, playing: false, by: "speed", walls: true, follow: false };
let stages = [];

// The slider goes through the frames of the run that lasts longest; the others show theirs nearest in time.
const longest = () => stages.reduce((a, b) => (b.times[b.times.length - 1] > a.times[a.times.length - 1] ? b : a), stages[0]);

function frameTime() {
  const stage = longest();
  return stage ? stage.times[Math.min(state.frame, stage.times.length - 1)] : 0;
}

function renderAll() {
  const time = frameTime();
  for (const stage of stages) stage.draw(state, nearest(stage.times, time));
  find("slider").value = String(state.frame);
  const last = stages.length ? longest().times.length - 1 : 0;
  find("clock").textContent = "t = " + show(time) + " s  ·  frame " + (state.frame + 1) + "/" + (last + 1);
  for (const figure of figures) placeLine(figure, figure.now, time);
}

let asked = false;
function redraw() {
  if (asked) return;
  asked = true;
  requestAnimationFrame(() => {
    asked = false;
    renderAll();
  });
}

// What bodies can be colored by: what every run shown has.
function colorings() {
  const all = [["stone", "stone"], ["speed", "speed"]];
  if (stages.every((s) => s.view.hasPressure)) all.push(["pressure", "pressure"]);
  all.push(["fragment", "fragment"]);
  if (stages.some((s) => s.view.materials.length > 1)) all.push(["material", "material"]);
  all.push(["radius", "radius"], ["height", "height"]);
  return all;
}

function fillLegend() {
  const legend = find("legend");
  legend.textContent = "";
  const range = stages[0].range(state.by);
  if (state.by === "stone") return;
  if (!range) {
    const names = state.by === "material" ? stages[0].view.materials : ["largest", "2nd", "3rd", "4th", "smaller"];
    names.slice(0, 8).forEach((name, k) => {
      const entry = document.createElement("span"), dot = document.createElement("i");
      const rgb = state.by === "fragment" && k === 4 ? [150, 156, 164] : data.kinds[k % data.kinds.length];
      dot.style.background = "rgb(" + rgb.join(",") + ")";
      entry.append(dot, name);
      legend.append(entry);
    });
    return;
  }
  const ramp = document.createElement("canvas"), unit = { speed: "m/s", pressure: "Pa", radius: "m", height: "m" };
  ramp.width = 256;
  ramp.height = 1;
  const context = ramp.getContext("2d"), pixels = context.createImageData(256, 1);
  for (let i = 0; i < 256; i++) pixels.data.set([...data.map.slice(3 * i, 3 * i + 3), 255], 4 * i);
  context.putImageData(pixels, 0, 0);
  const brief = (x) => show(Number(x.toPrecision(3)));
  legend.append(brief(range[0]), ramp, brief(range[1]) + " " + unit[state.by]);
}

function noteOf() {
  const notes = [];
  for (const stage of stages) {
    const v = stage.view, of = stages.length > 1 ? stage.run.name + ": " : "";
    if (v.shown < v.n) notes.push(of + v.shown.toLocaleString("en") + " of " + v.n.toLocaleString("en") + " bodies are drawn");
    if (v.times.length < v.frames) notes.push(of + v.times.length + " of " + v.frames + " frames are in this page");
    if (v.meshless) notes.push(of + "the triangles of its mesh walls are not in the trajectory");
  }
  return notes.join("; ") + (notes.length ? ". cairn render draws everything." : "");
}

function play(on) {
  state.playing = on;
  find("play-shape").setAttribute("d", on ? "M6 4.5h4v15H6zM14 4.5h4v15h-4z" : "M7 4.5v15l13-7.5z");
  let last = 0;
  const tick = (now) => {
    if (!state.playing) return;
    const n = longest().times.length, pause = Math.max(1000 / 30, Math.min(200, 8000 / n));
    if (now - last >= pause) {
      last = now;
      state.frame = (state.frame + 1) % n;
      renderAll();
    }
    requestAnimationFrame(tick);
  };
  if (on) requestAnimationFrame(tick);
}

function prepareControls() {
  const slider = find("slider"), by = find("by");
  slider.max = String(longest().times.length - 1);
  slider.addEventListener("input", () => {
    play(false);
    state.frame = Number(slider.value);
    redraw();
  });
  for (const [value, label] of colorings()) by.append(new Option(label, value));
  by.addEventListener("change", () => {
    state.by = by.value;
    fillLegend();
    redraw();
  });
  find("play").addEventListener("click", () => play(!state.playing));
  document.addEventListener("keydown", (event) => {
    if (event.key === " " && !/INPUT|BUTTON|SELECT|SUMMARY/.test(event.target.tagName)) {
      event.preventDefault();
      play(!state.playing);
    }
  });
  for (const button of document.querySelectorAll("[data-view]"))
    button.addEventListener("click", () => {
      camera.look(button.dataset.view);
      redraw();
    });
  find("follow").addEventListener("change", (event) => {
    state.follow = event.target.checked;
    redraw();
  });
  find("walls").addEventListener("change", (event) => {
    state.walls = event.target.checked;
    redraw();
  });
  find("walls-label").hidden = !stages.some((s) => s.view.triangles);
  find("save").addEventListener("click", () => {
    renderAll();
    stages.forEach((stage) => stage.canvas.toBlob((blob) => download(stage.run.name + "_" + state.frame + ".png", blob)));
  });
}

function prepareView() {
  const runs = data.runs.filter((run) => run.view && run.view.times.length > 0).slice(0, 4);
  if (runs.length === 0) return;
  find("view").hidden = false;
  find("stages").classList.toggle("many", runs.length > 1);
  try {
    stages = runs.map((run) => new Stage(run, find("stages"), redraw));
  } catch (problem) {
    const text = document.createElement("p");
    text.className = "error";
    text.textContent = "The 3-D view needs WebGL 2: " + problem.message;
    find("stages").replaceWith(text);
    stages = [];
    return;
  }
  camera.fit(stages);
  prepareControls();
  const wanted = new URLSearchParams(location.hash.slice(1)); // #frame=10&by=speed&view=top, for links and tests
  if (wanted.has("view")) camera.look(wanted.get("view"));
  state.by = find("by").value = stages[0].view.by;
  if (colorings().some((c) => c[0] === wanted.get("by"))) state.by = find("by").value = wanted.get("by");
  state.frame = longest().times.length - 1;
  if (stages.every((s) => s.isEmpty(s.times.length - 1))) state.frame >>= 1; // nothing is left to be seen at the end
  if (wanted.has("frame")) state.frame = Math.max(0, Math.min(state.frame, Number(wanted.get("frame")) || 0));
  state.follow = find("follow").checked = wanted.has("follow") || stages.every((s) => s.view.follow);
  fillLegend();
  find("note").textContent = noteOf();
  new ResizeObserver(redraw).observe(find("stages"));
  renderAll();
  document.documentElement.dataset.bodies = String(stages.reduce((sum, s) => sum + s.drawn, 0));
}

/* ---- a run that goes on: the page asks for itself again when there is something new ---- */

function adopt(fresh) {
  data = JSON.parse(fresh.getElementById("cairn-data").textContent);
  frameSource = fresh;
  for (const id of ["facts", "charts"]) find(id).replaceChildren(...fresh.getElementById(id).childNodes);
  preparePlots();
  if (stages.length === 0) return prepareView();
  const wasLast = state.frame >= stages[0].times.length - 1;
  stages.forEach((stage) => stage.renew(data.runs[stage.run.index]));
  find("slider").max = String(stages[0].times.length - 1);
  if (wasLast && !state.playing) state.frame = stages[0].times.length - 1;
  fillLegend();
  renderAll();
}

function follow() {
  const badge = find("live");
  let seen = "";
  badge.hidden = false;
  badge.textContent = "live";
  const ask = async () => {
    try {
      const now = await (await fetch("state", { cache: "no-store" })).text();
      if (now !== seen) {
        const answer = await fetch("./", { cache: "no-store" });
        if (answer.ok) adopt(new DOMParser().parseFromString(await answer.text(), "text/html"));
        seen = now;
      }
      setTimeout(ask, 1500);
    } catch (gone) {
      badge.textContent = "the run has ended; cairn report makes the page to keep";
      badge.classList.add("over");
    }
  };
  setTimeout(ask, 1500);
}

prepareView();
if (data.live) follow();
document.documentElement.dataset.curves = String(figures.reduce((sum, f) => sum + f.curves.length, 0));
document.documentElement.dataset.ready = "yes";
