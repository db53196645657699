// The live page. It reads one snapshot, then follows the event stream from that snapshot's sequence
// number on: an event says which candidate changed, and only that one is read again. Text of others
// is only ever set as text.
"use strict";

const ROWS_SHOWN = 200;
const REFRESH_MS = 250;
const IDS_PER_CALL = 100;

const runs = new Map();        // run id -> RunSummary
const candidates = new Map();  // candidate id -> Candidate
const changed = new Set();     // candidate ids to read again
let runsChanged = false;
let shown = ROWS_SHOWN;
let lastSeq = 0;
let timer = 0;
let chosen = "";               // the candidate that is shown in full

const byId = (id) => document.getElementById(id);
const bare = (word) => word.replace(/^(VERDICT|BLAME|RUN_STATE|OBJECTIVE_SOURCE|AGAINST|HOW)_/, "")
  .replace("UNSPECIFIED", "");
const GOOD = /^(CORRECT|IMPROVED|CONFIRMED)$/, NEUTRAL = /^(in work|RANKED_OUT|DUPLICATE|CANCELLED)$/;

// Characters that reorder or hide text are shown by their numbers.
function plain(text) {
  return String(text).replace(/[\u0000-\u0008\u000b-\u001f\u007f\u200b-\u200f\u202a-\u202e\u2066-\u2069]/g,
    (c) => "\\u" + c.charCodeAt(0).toString(16).padStart(4, "0"));
}

function cell(row, text, kind) {
  const td = row.insertCell();
  td.textContent = plain(text);
  if (kind) td.className = kind;
  return td;
}

// A word with a remark below it.
function remarked(row, text, remark, kind = "word") {
  const td = cell(row, text, kind);
  if (!remark) return;
  const small = document.createElement("small");
  small.textContent = plain(remark);
  td.append(" ", small);
}

function item(list, title, ...notes) {
  const li = document.createElement("li");
  li.textContent = plain(title);
  for (const note of notes.filter((text) => text)) {
    const small = document.createElement("small");
    small.textContent = plain(note);
    li.append(small);
  }
  list.append(li);
}

function duration(ns) {
  if (!(ns > 0)) return "";
  for (const [unit, size] of [["s", 1e9], ["ms", 1e6], ["µs", 1e3]]) {
    if (ns >= size) return (ns / size).toPrecision(4) + " " + unit;
  }
  return ns.toPrecision(3) + " ns";
}

function quantity(value, unit) {
  if (unit === "ns") return duration(value);
  return (Math.abs(value) >= 1e6 ? value.toExponential(3) : +value.toPrecision(5)) + (unit ? " " + unit : "");
}

// {"BN":128} as BN=128.
function binding(json) {
  try {
    return Object.entries(JSON.parse(json)).map(([name, value]) => name + "=" + value).join(" ");
  } catch (error) {
    return json;
  }
}

async function read(path) {
  const answer = await fetch(path);
  if (!answer.ok) throw new Error(path + ": " + answer.status);
  return answer.json();
}

function budgetText(run) {
  const line = (run.budget && run.budget.lines || []).find((one) => one.kind === "evaluations");
  return line ? line.spent + " of " + line.limit : "no limit";
}

function drawRuns() {
  const body = byId("runs").tBodies[0];
  body.textContent = "";
  for (const run of [...runs.values()].reverse()) {
    const row = body.insertRow();
    const best = run.best && run.best.candidate ? run.best : null;
    const measured = bare(run.objective_source) === "MEASURED";
    if (best) row.dataset.id = best.candidate;
    remarked(row, run.run, run.imported ? "imported, " + run.imported.device : "", "id");
    cell(row, run.workload);
    remarked(row, bare(run.state), run.reason);
    cell(row, best ? best.candidate : "none", "id");
    cell(row, best ? binding(best.binding) : "", "binding");
    cell(row, best ? duration(best.objective_ns) : "", "number");
    remarked(row, bare(run.objective_source), measured ? "" : "predicted");
    cell(row, best && best.baseline_ns > 0 ? (best.objective_ns / best.baseline_ns).toFixed(3) + "x" : "", "number");
    for (const key of ["members", "rejected", "ranked_out", "evaluated", "queued"]) {
      cell(row, run.progress[key], "number");
    }
    cell(row, budgetText(run), "number");
  }
  byId("runs-empty").hidden = runs.size > 0;
  fillFilter("run-filter", [...runs.keys()]);
  drawSummary();
}

function drawSummary() {
  byId("summary").textContent = runs.size + (runs.size === 1 ? " run, " : " runs, ")
    + candidates.size + (candidates.size === 1 ? " candidate" : " candidates");
}

function fillFilter(id, values) {
  const select = byId(id);
  const known = new Set([...select.options].map((option) => option.value));
  for (const value of values) {
    if (known.has(value)) continue;
    const option = document.createElement("option");
    option.value = option.textContent = value;
    select.append(option);
  }
}

function order(a, b) {
  return b.created_seq - a.created_seq;
}

function drawCandidates() {
  const run = byId("run-filter").value, verdict = byId("verdict-filter").value;
  const all = [...candidates.values()]
    .filter((c) => (!run || c.run === run) && (!verdict || bare(c.verdict) === verdict))
    .sort(order);
  const body = byId("candidates").tBodies[0];
  body.textContent = "";
  for (const c of all.slice(0, shown)) {
    const row = body.insertRow();
    row.dataset.id = c.id;
    if (c.id === chosen) row.className = "chosen";
    cell(row, c.id, "id");
    const word = bare(c.verdict) || "in work";
    cell(row, word, "word " + (GOOD.test(word) ? "good" : NEUTRAL.test(word) ? "" : "bad"));
    cell(row, bare(c.blame));
    cell(row, c.workload);
    for (const key of ["members", "rejected", "evaluated"]) cell(row, c.progress[key], "number");
    cell(row, duration(c.best_estimate_ns), "number");
    cell(row, c.intent, "text");
  }
  byId("count").textContent = "(" + all.length + ")";
  byId("more").hidden = all.length <= shown;
  fillFilter("verdict-filter", [...new Set([...candidates.values()].map((c) => bare(c.verdict)))]
    .filter((word) => word));
  drawSummary();
}

function note(event) {
  lastSeq = Math.max(lastSeq, event.seq);
  if (event.subject.startsWith("c-")) changed.add(event.subject);
  runsChanged = true;
  if (!timer) timer = setTimeout(refresh, REFRESH_MS);
}

async function refresh() {
  timer = 0;
  const ids = [...changed].slice(0, IDS_PER_CALL);
  for (const id of ids) changed.delete(id);
  try {
    if (ids.length) {
      const reply = await read("/api/candidates?ids=" + encodeURIComponent(ids.join(",")));
      for (const candidate of reply.candidates) candidates.set(candidate.id, candidate);
      drawCandidates();
    }
    if (runsChanged) {
      runsChanged = false;
      for (const run of (await read("/api/runs")).runs) runs.set(run.run, run);
      drawRuns();
    }
  } catch (error) {
    for (const id of ids) changed.add(id);
    runsChanged = true;
  }
  if ((changed.size || runsChanged) && !timer) timer = setTimeout(refresh, 4 * REFRESH_MS);
}

function drawFindings(report) {
  byId("findings").textContent = "";
  for (const one of report.diagnostics) {
    const line = one.primary && one.primary.line ? ", line " + one.primary.line : "";
    item(byId("findings"), one.code + line + ": " + one.message, one.why && "why: " + one.why,
      ...one.fixes.map((fix) => "fix: " + fix.title));
  }
  const body = byId("properties").tBodies[0];
  body.textContent = "";
  for (const one of report.properties) {
    const row = body.insertRow();
    cell(row, one.property, "word");
    cell(row, bare(one.how).toLowerCase().replace("_", " "), "word " + (bare(one.how) === "REFUTED" ? "bad" : ""));
    cell(row, one.coverage, "text");
  }
  byId("findings-title").hidden = report.diagnostics.length === 0;
  byId("properties").hidden = report.properties.length === 0;
}

// Advice that only repeats a finding is left out.
function drawAdvice(reply) {
  const advice = reply.advice.filter(
    (one) => !reply.report.diagnostics.some((finding) => one.what.endsWith(finding.message)));
  byId("advice").textContent = "";
  for (const one of advice) item(byId("advice"), one.what, one.why, one.evidence);
  byId("advice-title").hidden = advice.length === 0;
}

function drawComparisons(comparisons) {
  const body = byId("changes").tBodies[0];
  body.textContent = "";
  for (const comparison of comparisons) {
    const other = comparison.candidate.startsWith("c-") ? " " + comparison.candidate : "";
    for (const change of comparison.changes) {
      const row = body.insertRow();
      cell(row, bare(comparison.against).toLowerCase() + other, "word");
      cell(row, change.name);
      cell(row, quantity(change.now, change.unit), "number");
      cell(row, quantity(change.then, change.unit), "number");
    }
  }
  byId("changes").hidden = body.rows.length === 0;
}

async function showDetail(id) {
  const reply = await read("/api/diagnose?candidate=" + encodeURIComponent(id));
  chosen = reply.candidate;
  drawCandidates();
  byId("detail").hidden = false;
  byId("detail-title").textContent = reply.candidate + " " + (bare(reply.report.verdict) || "in work");
  byId("detail-binding").textContent = binding(reply.binding);
  drawFindings(reply.report);
  drawAdvice(reply);
  drawComparisons(reply.comparisons);
  byId("detail-next").textContent = plain(reply.next_command);
  byId("detail").scrollIntoView({block: "nearest"});
}

async function snapshot() {
  let token = "", seq = null;
  do {
    const page = await read("/api/candidates?page_token=" + encodeURIComponent(token));
    if (seq === null) seq = Number(page.as_of_seq);
    for (const candidate of page.candidates) candidates.set(candidate.id, candidate);
    token = page.next_page_token;
  } while (token);
  const reply = await read("/api/runs");
  for (const run of reply.runs) runs.set(run.run, run);
  lastSeq = seq;
  drawRuns();
  drawCandidates();
}

function say(words, live) {
  byId("connection").textContent = words;
  byId("connection").className = live ? "live" : "";
}

function follow() {
  const stream = new EventSource("/events?from=" + lastSeq);
  stream.onopen = () => say("live", true);
  stream.onmessage = (message) => note(JSON.parse(message.data));
  stream.onerror = () => {
    say("connection lost, trying again", false);
    if (stream.readyState === EventSource.CLOSED) setTimeout(follow, 2000);
  };
}

async function start() {
  try {
    await snapshot();
    follow();
  } catch (error) {
    say("no answer, trying again", false);
    setTimeout(start, 2000);
  }
}

byId("run-filter").addEventListener("change", drawCandidates);
byId("verdict-filter").addEventListener("change", drawCandidates);
byId("more").addEventListener("click", () => { shown += ROWS_SHOWN; drawCandidates(); });
for (const id of ["candidates", "runs"]) {
  byId(id).addEventListener("click", (event) => {
    const row = event.target.closest("tr[data-id]");
    if (row) showDetail(row.dataset.id).catch(() => {});
  });
}
start();
